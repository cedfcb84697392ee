import { describe, expect, it } from "vitest";
import { memoryArchive, recallTools } from "../../src/archive/index.ts";
import { createContext } from "../../src/context/index.ts";
import type { Message } from "../../src/core/message/index.ts";
import { assistant, step, user } from "../build-messages.ts";

const WINDOW = { window: 60_000, reserved: 4_000, recall: true } as const;
const output = Array.from({ length: 9_000 }, (_, n) => `line ${n} of the log\n`).join("");
const input = { command: "cat log" };

/** A conversation whose first output is old by now, and too much. */
function grown(first: readonly Message[]): readonly Message[] {
  const filler = Array.from({ length: 90 }, (_, n) =>
    step(`f${n}`, "bash", { command: `n ${n}` }, `${n} ${"some words of an output ".repeat(150)}`),
  );
  return [
    user("go"),
    ...first,
    ...filler.flat(),
    user("now this"),
    assistant("yes"),
    user("and that"),
  ];
}

function textOf(messages: readonly Message[], id: string): string {
  const parts = messages.flatMap((message) => message.parts);
  const found = parts.find((part) => part.type === "tool-result" && part.toolCallId === id);
  const only = found?.type === "tool-result" ? found.output[0] : undefined;
  return only?.type === "text" ? only.text : "";
}

describe("an output that names an original which the archive does not have", () => {
  it("is archived itself, and named by its own handle", async () => {
    const archive = memoryArchive();
    const [call, result] = step("t", "bash", input, output);
    const unkept = "out_00000000000000ff";
    const claimed = {
      ...result!,
      parts: result!.parts.map((part) => ({ ...part, original: unkept })),
    } as Message;
    const { messages } = await createContext({ ...WINDOW, archive }).prepare(
      grown([call!, claimed]),
    );
    const said = JSON.stringify(messages);
    expect(said).not.toContain(unkept);
    const handle = /recall="(out_[0-9a-f]{16})"/.exec(textOf(messages, "t"))?.[1];
    const stored = await Promise.all(
      (await archive.list()).map((entry) => archive.get(entry.handle)),
    );
    expect(stored.some((text) => text.includes("line 8999 of the log"))).toBe(true);
    expect(handle).toBeDefined();
    expect(await archive.get(handle!)).toBe(output);
  });
});

describe("a part that its agent wrote over, with the other fields of what an edit left", () => {
  it("is an original itself, whichever edit it was", async () => {
    const archive = memoryArchive();
    const history = grown(step("t", "bash", input, output));
    const context = createContext({ ...WINDOW, archive });
    const { messages } = await context.prepare(history);
    expect(textOf(messages, "t")).toMatch(/^<tool-output-compacted /);
    const written = (list: readonly Message[], text: string): Message[] =>
      list.map((message) => ({
        ...message,
        parts: message.parts.map((part) =>
          part.type === "tool-result" && part.toolCallId === "t"
            ? { ...part, output: [{ type: "text" as const, text }] }
            : part,
        ),
      }));
    let list = messages;
    for (const round of [1, 2]) {
      const now = output.replaceAll("log", `log of run ${round}`);
      ({ messages: list } = await context.prepare(written(list, now)));
      const handle = /recall="(out_[0-9a-f]{16})"/.exec(textOf(list, "t"))?.[1];
      expect(await archive.get(handle!)).toBe(now);
    }
  });
});

describe("an output that was truncated on arrival and is pruned later", () => {
  it("is named by the handle of the whole, which is archived once", async () => {
    const archive = memoryArchive();
    const first = createContext({ ...WINDOW, archive });
    const { text, entry } = await first.truncate(output, { toolName: "bash", input });
    const history = grown(step("t", "bash", input, text));
    // The process that truncated it is gone.
    const context = createContext({ ...WINDOW, archive });
    const { messages, report } = await context.prepare(history);
    expect(report.action).toBe("prune");
    expect(textOf(messages, "t")).toMatch(/^<tool-output-compacted /);
    expect(textOf(messages, "t")).toContain(`recall="${entry?.handle}"`);
    expect(await archive.get(entry?.handle ?? "")).toBe(output);
    const holders = (await archive.list()).map(({ handle }) => archive.get(handle));
    const contents = await Promise.all(holders);
    expect(contents.filter((content) => content.includes("line 8999"))).toEqual([output]);
    // The journal alone gives the same view again.
    const journal = context.journal();
    const again = await createContext({ ...WINDOW, archive, journal }).prepare(history);
    expect(again.messages).toEqual(messages);
    expect(textOf(history, "t")).toBe(text);
  });

  it("is archived as it is when only it says so", async () => {
    const archive = memoryArchive();
    const context = createContext({ ...WINDOW, archive });
    const { text } = await context.truncate(output, { toolName: "bash", input });
    const forged = text.replace("line 8999 of the log", "line 8999 of another");
    const { messages, report } = await context.prepare(grown(step("t", "bash", input, forged)));
    expect(report.action).toBe("prune");
    const handle = /recall="(\w+)"/.exec(textOf(messages, "t"))?.[1] ?? "";
    expect(await archive.get(handle)).toBe(forged);
  });

  it("as the answer of a recall is named by what was recalled", async () => {
    const archive = memoryArchive();
    const { handle } = await archive.put("out", output);
    const asked = { handle, lines: [1, 900] as const };
    const answer = await recallTools(archive).recall.execute(asked);
    const context = createContext({ ...WINDOW, archive });
    const { messages, report } = await context.prepare(grown(step("t", "recall", asked, answer)));
    expect(report.action).toBe("prune");
    expect(textOf(messages, "t")).toMatch(/^<tool-output-compacted tool="recall"/);
    expect(textOf(messages, "t")).toContain(`recall="${handle}"`);
    const originals = (await archive.list()).map((entry) => entry.handle);
    expect(originals.filter((each) => each.startsWith("out_"))).toContain(handle);
    const contents = await Promise.all(originals.map((each) => archive.get(each)));
    expect(contents).not.toContain(answer);
  });
});
