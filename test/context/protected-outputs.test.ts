import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { memoryArchive } from "../../src/archive/index.ts";
import { type ContextOptions, createContext, type Prepared } from "../../src/context/index.ts";
import type { Message } from "../../src/core/message/index.ts";
import { handleFor } from "../../src/core/message/handle.ts";
import {
  assistant,
  call,
  calling,
  digest,
  result,
  results,
  step,
  system,
  user,
  words,
} from "../build-messages.ts";
import { runs } from "../property/runs.ts";

const work = (count: number, size: number, id: string): Message[] =>
  Array.from({ length: count }, (_, n) =>
    step(`${id}${n}`, "bash", { command: `run ${id} ${n}` }, words(size, `output ${id} ${n}`)),
  ).flat();

const rules = (count: number): string =>
  Array.from({ length: count }, (_, n) => `- rule ${n}: keep the file part-${n}.csv as it is`).join(
    "\n",
  );

const outputs = (messages: readonly Message[]): string[] =>
  messages.flatMap(({ parts }) =>
    parts.flatMap((part) => {
      const only = part.type === "tool-result" ? part.output[0] : undefined;
      return only?.type === "text" ? [only.text] : [];
    }),
  );

const textOf = (messages: readonly Message[]): string => JSON.stringify(messages);

async function compacted(messages: readonly Message[], options: ContextOptions): Promise<Prepared> {
  const prepared = await createContext({ archive: memoryArchive(), ...options }).prepare(messages, {
    force: true,
  });
  expect(prepared.report.action).toBe("compact");
  expect(prepared.report.tokens.after).toBeLessThan(prepared.report.usable);
  return prepared;
}

describe("a loaded skill", () => {
  it.each([
    ["activate_skill", { name: "csv" }],
    ["read_file", { path: "skills/csv/SKILL.md" }],
    ["exec_command", { cmd: "cat skills/csv/SKILL.md" }],
  ])("by %s stays word for word through compactions", async (tool, input) => {
    const skill = rules(150);
    const archive = memoryArchive();
    const context = createContext({ window: 64_000, archive });
    let list: readonly Message[] = [
      system("s"),
      user("clean the tables"),
      ...step("s", tool, input, skill),
    ];
    for (const round of ["a", "b", "c"]) {
      const { messages, report } = await context.prepare([...list, ...work(40, 1_500, round)]);
      expect(report.action).toBe("compact");
      expect(outputs(messages)).toContain(skill);
      list = messages;
    }
  });

  it("without room for it is named as a recorded fact, and its handle has all of it", async () => {
    const skill = rules(1_500);
    const archive = memoryArchive();
    const context = createContext({ window: 32_000, archive, recall: true });
    const head = [user("go"), ...step("s", "skill", { name: "csv" }, skill)];
    let list: readonly Message[] = [...head, ...work(20, 1_500, "a")];
    for (const round of ["b", "c"]) {
      const { messages } = await context.prepare(list);
      const handle = handleFor("out", skill, digest);
      expect(textOf(messages)).toContain(
        `Skill \`csv\` is loaded: its rules are in ${handle}; recall it before`,
      );
      expect(await archive.get(handle)).toBe(skill);
      list = [...messages, ...work(20, 1_500, round)];
    }
  });

  it("is said to be gone where no archive takes it", async () => {
    const archive = {
      ...memoryArchive(),
      put: () => Promise.reject(new Error("full")),
    };
    const list = [user("go"), ...step("s", "skill", { name: "csv" }, rules(1_500))];
    const { messages } = await compacted([...list, ...work(20, 1_500, "a")], {
      window: 32_000,
      archive,
    });
    expect(textOf(messages)).toContain(
      "Skill `csv` is loaded: its rules are not kept; call it again",
    );
  });

  it("of a batch is kept, and what else its step brought is pruned", async () => {
    const skill = rules(100);
    const batch = [
      calling(call("s", "skill", { name: "csv" }), call("b", "bash", { command: "cat big" })),
      results(result("s", "skill", skill), result("b", "bash", words(9_000, "big"))),
    ];
    const { messages } = await compacted([user("go"), ...batch, ...work(40, 1_500, "a")], {
      window: 64_000,
    });
    expect(outputs(messages)).toContain(skill);
    expect(outputs(messages)).toContainEqual(
      expect.stringMatching(/^<tool-output-compacted tool="bash" input="cat big"/),
    );
  });

  it("is clipped last of all", async () => {
    const skill = rules(150);
    const end = [
      user(words(9_000, "long words")),
      ...step("b", "bash", {}, words(9_000, "big")),
      assistant(words(5_000, "thoughts")),
      ...step("s", "skill", { name: "csv" }, skill),
    ];
    const { messages } = await compacted([user("go"), ...work(10, 800, "a"), ...end], {
      window: 16_000,
    });
    expect(outputs(messages)).toContain(skill);
    expect(textOf(messages)).toContain("the middle of this message was clipped");
  });
});

describe("what stays of protected steps", () => {
  const newest = async (options: ContextOptions): Promise<readonly boolean[]> => {
    const skills = [1, 2, 3, 4].map((n) => `${n}\n${rules(150)}`);
    const loads = skills.map((skill, n) => step(`s${n}`, "skill", { name: `s${n}` }, skill));
    const all = [user("go"), ...loads.flat(), ...work(40, 1_500, "a")];
    const { messages } = await compacted(all, { window: 64_000, ...options });
    return skills.map((skill) => outputs(messages).includes(skill));
  };

  it("is the newest first, up to a share of usable", async () => {
    expect(await newest({})).toEqual([true, true, true, true]);
    expect(await newest({ pinnedTokens: 5_000 })).toEqual([false, false, true, true]);
    expect(await newest({ pinnedShare: 0 })).toEqual([false, false, false, false]);
  });

  it.each<[string, ContextOptions]>([
    ["one name", { protectedTools: "memory_read" }],
    ["a glob", { protectedTools: ["memory*"] }],
    ["a Set", { protectedTools: new Set([/^memory/]) }],
    [
      "a generator",
      {
        protectedTools: (function* names() {
          yield "memory_read";
        })(),
      },
    ],
    ["a predicate", { protectedTools: (name) => name.startsWith("memory") }],
    ["a plugin", { plugins: [{ name: "p", protectedTools: ["memory_*"] }] }],
  ])("is what %s names, and skills beside it", async (_, options) => {
    const [memory, skill] = [words(500, "memory"), words(500, "skill")];
    const loads = [...step("m", "memory_read", {}, memory), ...step("s", "skill", {}, skill)];
    const { messages } = await compacted([user("go"), ...loads, ...work(40, 1_500, "a")], {
      window: 64_000,
      ...options,
    });
    expect(outputs(messages)).toEqual(expect.arrayContaining([memory, skill]));
  });
});

it("whatever the conversation and the window, every protected output is there or named", async () => {
  const piece = fc.record({
    tool: fc.constantFrom("skill", "use_skill", "memory", "bash", "bash", "say", "user"),
    size: fc.oneof(fc.nat({ max: 300 }), fc.nat({ max: 6_000 })),
  });
  const rounds = fc.array(fc.array(piece, { minLength: 3, maxLength: 14 }), {
    minLength: 1,
    maxLength: 3,
  });
  await fc.assert(
    fc.asyncProperty(
      rounds,
      fc.constantFrom(16_000, 32_000, 64_000),
      fc.boolean(),
      async (all, window, isWhole) => {
        const archive = memoryArchive();
        const context = createContext({ window, archive, protectedTools: ["memory"] });
        const kept: string[] = [];
        let history: readonly Message[] = [system("s"), user("go")];
        for (const [round, pieces] of all.entries()) {
          for (const [n, { tool, size }] of pieces.entries()) {
            const text = words(size + 30, `${round}-${n}`);
            if (tool === "user") history = [...history, user(text)];
            else if (tool === "say") history = [...history, assistant(text)];
            else
              history = [
                ...history,
                ...step(`${round}-${n}`, tool, { name: `n${round}-${n}` }, text),
              ];
            if (tool !== "user" && tool !== "say" && tool !== "bash") kept.push(text);
          }
          const { messages, report } = await context.prepare(history, { force: round === 1 });
          expect(report.tokens.after).toBeLessThan(report.usable);
          const shown = new Set(outputs(messages));
          const said = textOf(messages);
          const left = kept.filter((text) => !shown.has(text));
          const unnamed = left.filter((text) => !said.includes(handleFor("out", text, digest)));
          // Many of them under a small cap: the last line counts the rest, and names the head.
          const more = /(\d+) more \(protected outputs\): archived as head_/.exec(said)?.[1] ?? 0;
          expect(unnamed.length).toBeLessThanOrEqual(Number(more));
          for (const text of left) {
            expect(await archive.get(handleFor("out", text, digest))).toBe(text);
          }
          if (!isWhole) history = messages;
        }
      },
    ),
    { numRuns: runs(25, 250) },
  );
});
