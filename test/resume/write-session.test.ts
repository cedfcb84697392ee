import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  statSync,
  utimesSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import * as fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import {
  type FilePart,
  type Message,
  type OpaquePart,
  type OutputPart,
  outputText,
  type Part,
} from "../../src/core/message/message.ts";
import { compactInPlace, undoInPlace } from "../../src/cli/in-place.ts";
import { saysTheSame, type SessionContent } from "../../src/resume/session.ts";
import { SESSION_AGENTS, type SessionAgent, writeSession } from "../../src/resume/write-session.ts";
import { readTranscript } from "../../src/transcripts/index.ts";
import { assistant, call, calling, result, results, step, user } from "../build-messages.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), "longhaul-resume-"));
});

const summary: Message = {
  role: "user",
  kind: "summary",
  parts: [
    {
      type: "text",
      text: "<prior-conversation-summary>\nWhat was.\n</prior-conversation-summary>",
    },
  ],
};

const session = (messages: readonly Message[]): SessionContent => ({
  messages,
  cwd: "/home/me/my project",
  model: "claude-sonnet-4-5",
  now: Date.UTC(2026, 0, 2, 3, 4, 5),
});

const TAIL = [
  user("Never touch secret.txt."),
  ...step("c1", "Bash", { command: "ls" }, "a.ts\nb.ts"),
  calling(call("c2", "Read", { file_path: "a.ts" }), call("c3", "Read", { file_path: "b.ts" })),
  results(result("c2", "Read", "one"), result("c3", "Read", "no such file", true)),
  assistant("Both are read."),
];

async function readBack(file: string, format: SessionAgent): Promise<readonly Message[]> {
  const { conversations, warnings } = await readTranscript(readFileSync(file), { format });
  expect(warnings).toEqual([]);
  return conversations[0]?.messages ?? [];
}

const home = (): { folder: string; env: object } => ({ folder, env: {} });

describe.each(SESSION_AGENTS)("a session of %s", (agent) => {
  it("says what the compaction says, the summary first", async () => {
    const { path: file } = await writeSession(agent, session([summary, ...TAIL]), home() as never);
    const read = await readBack(file, agent);
    expect(saysTheSame(read, [summary, ...TAIL])).toBe(true);
    expect(file.startsWith(folder)).toBe(true);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    // Claude Code, pi and opencode say that it is one; Codex knows its own words only.
    if (agent !== "codex") expect(read[0]?.kind).toBe("summary");
  });

  it("is one without a summary, too: pruning alone needs none", async () => {
    const { path: file } = await writeSession(agent, session(TAIL), home() as never);
    expect(saysTheSame(await readBack(file, agent), TAIL)).toBe(true);
  });

  it("goes on in mid-turn, where a reply follows the summary", async () => {
    for (const from of [1, TAIL.length - 1]) {
      const messages = [summary, ...TAIL.slice(from)];
      const { path: file } = await writeSession(agent, session(messages), home() as never);
      expect(saysTheSame(await readBack(file, agent), messages)).toBe(true);
    }
  });

  it("leaves out what another agent said by itself in the system's name", async () => {
    const said: Message = {
      role: "system",
      kind: "injected",
      parts: [{ type: "text", text: "<permissions>all</permissions>" }],
    };
    const content = session([summary, said, ...TAIL]);
    const { path: file } = await writeSession(agent, content, home() as never);
    expect(saysTheSame(await readBack(file, agent), [summary, ...TAIL])).toBe(true);
  });

  it("holds whatever was said, done and shown", async () => {
    const text = fc.string({ minLength: 1, unit: "grapheme" }).filter((it) => it.trim() !== "");
    const image: Part = { type: "file", mediaType: "image/png", data: "iVBORw0KGgo=" };
    const input = fc.oneof(fc.dictionary(text, fc.jsonValue()), text, fc.json());
    // Words that look like the name of a block are somebody's words all the same.
    const said = fc.oneof(text, fc.constant("[tool_reference of elsewhere, not shown here]"));
    const piece = fc.oneof(
      said.map((it): OutputPart => ({ type: "text", text: it })),
      fc.constant(block("tool_reference", { tool_name: "Grep" })),
      text.map((it) => block("search_result", { content: [{ type: "text", text: it }] })),
    );
    const output = fc.array(piece, { minLength: 1, maxLength: 3 });
    const turn = fc
      .record({ said, input, output, id: fc.uuid() })
      .map((one): Message[] => [
        { role: "user", parts: [{ type: "text", text: one.said }, image, block("of_user")] },
        calling(call(one.id, "tool", one.input)),
        results({ ...result(one.id, "tool", ""), output: one.output }),
        { role: "assistant", parts: [block("of_reply"), { type: "text", text: one.said }] },
      ]);
    const turns = fc.array(turn, { minLength: 1, maxLength: 3 }).map((list) => list.flat());
    let count = 0;
    await fc.assert(
      fc.asyncProperty(turns, async (messages) => {
        count += 1;
        const where = { folder: path.join(folder, String(count)), env: {} };
        const { path: file } = await writeSession(agent, session([summary, ...messages]), where);
        const read = await readBack(file, agent);
        const told = JSON.stringify(read);
        for (const words of messages.flatMap(wordsOf)) {
          expect(told).toContain(JSON.stringify(words.trimEnd()).slice(1, -1));
        }
        expect(
          read.flatMap(({ parts }) => parts).filter(({ type }) => type === "file"),
        ).toHaveLength(messages.length / 4);
      }),
    );
  });

  it.each(["notes.zip", undefined])("names a file that it cannot hold: %s", async (filename) => {
    const data = "UEsDBA==";
    const file: FilePart = { type: "file", mediaType: "application/zip", filename, data };
    const looked = results({ ...result("c9", "Read", ""), output: [file] });
    const shown: Message = { role: "user", parts: [file, { type: "text", text: "Look." }] };
    const messages = [shown, calling(call("c9", "Read")), looked, assistant("I see. ")];
    const { read } = await writeSession(agent, session(messages), home() as never);
    expect(JSON.stringify(read)).toContain("application/zip");
  });
});

/** A block of some provider that no agent writes. */
function block(kind: string, value: object = {}): OpaquePart {
  return {
    type: "opaque",
    kind,
    source: { dialect: "elsewhere", value: { type: kind, ...value } },
  };
}

/** All that anybody says in a message, the words in blocks of results too. */
function wordsOf({ parts }: Message): string[] {
  return parts.flatMap((part) => {
    if (part.type === "text") return [part.text];
    return part.type === "tool-result" ? part.output.map((piece) => outputText([piece])) : [];
  });
}

describe("words that look like the name of a block", () => {
  const name = "[compaction of openai-responses, not shown here]";
  const source = { dialect: "openai-responses", value: {} };
  const held: Message = { role: "user", parts: [{ type: "opaque", kind: "compaction", source }] };

  it("may stand for the block alone", () => {
    const wanted = [user("Begin."), held, assistant("Yes.")];
    expect(saysTheSame([user("Begin."), user(name), assistant("Yes.")], wanted)).toBe(true);
    expect(saysTheSame([user("Begin."), assistant("Yes.")], wanted)).toBe(true);
    const other = user("[compaction of anthropic, not shown here]");
    expect(saysTheSame([user("Begin."), other, assistant("Yes.")], wanted)).toBe(false);
    expect(saysTheSame([user(name), user("Begin."), assistant("Yes.")], wanted)).toBe(false);
  });

  it("are missed where somebody said them", () => {
    const wanted = [held, assistant("Yes."), user(name), assistant("No.")];
    expect(saysTheSame([user(name), assistant("Yes."), assistant("No.")], wanted)).toBe(false);
    expect(saysTheSame([assistant("Yes."), user(name), assistant("No.")], wanted)).toBe(true);
    const output = (text: string): Message => results(result("c1", "Read", text));
    expect(saysTheSame([output("one")], [output(`one\n${name}`)])).toBe(false);
  });
});

describe.each(SESSION_AGENTS)("whatever a step of another agent looks like: %s", (agent) => {
  it("is written", async () => {
    const piece = fc.oneof(
      fc.string({ minLength: 1 }).filter((text) => text.trim() !== ""),
      fc.constant(undefined),
    );
    const steps = fc.array(
      fc.record({ pieces: fc.array(piece, { minLength: 1, maxLength: 6 }), seed: fc.nat() }),
      { minLength: 1, maxLength: 4 },
    );
    let written = 0;
    await fc.assert(
      fc.asyncProperty(steps, async (list) => {
        const messages = list.flatMap(({ pieces, seed }, at) => stepOf(pieces, seed, at));
        const where = { folder: path.join(folder, `any-${(written += 1)}`), env: {} };
        const content = session([summary, user("Begin."), ...messages]);
        const { path: file } = await writeSession(agent, content, where);
        expect(saysTheSame(await readBack(file, agent), content.messages)).toBe(true);
      }),
    );
  });
});

/** Words between calls and behind them, and results in the order in which they came. */
function stepOf(pieces: readonly (string | undefined)[], seed: number, at: number): Message[] {
  const parts = pieces.map((text, index): Part =>
    text === undefined
      ? call(`c${at}-${index}`, "Read", { path: String(index) })
      : { type: "text", text },
  );
  const answers = parts.flatMap((part) =>
    part.type === "tool-call" ? [result(part.toolCallId, "Read", `of ${part.toolCallId}`)] : [],
  );
  const turned = answers.map((_, index) => answers[(index + seed) % answers.length]!);
  const reply: Message = { role: "assistant", parts };
  return [reply, ...(turned.length === 0 ? [user("Go on.")] : [results(...turned)])];
}

describe.each(SESSION_AGENTS.filter((agent) => agent !== "opencode"))("in place: %s", (agent) => {
  const long = [...TAIL, user("More."), assistant("Done.")];

  async function old(): Promise<{ id: string; file: string; state: string }> {
    const { id, path: file } = await writeSession(agent, session(long), home() as never);
    const before = new Date(Date.now() - 60_000);
    utimesSync(file, before, before);
    return { id, file, state: path.join(folder, "state") };
  }

  it("goes on from the summary, by lines behind the others", async () => {
    const place = await old();
    const before = readFileSync(place.file, "utf8");
    await compactInPlace(agent, session([summary, ...TAIL]), place);
    const after = readFileSync(place.file, "utf8");
    expect(after.startsWith(before)).toBe(true);
    const read = await readBack(place.file, agent);
    expect(saysTheSame(read, [summary, ...TAIL])).toBe(true);
  });

  it("goes on from a pruned list, which has no summary", async () => {
    const place = await old();
    await compactInPlace(agent, session(TAIL), place);
    const { conversations } = await readTranscript(readFileSync(place.file), { format: agent });
    expect(saysTheSame(conversations[0]?.messages ?? [], TAIL)).toBe(true);
  });

  it("is taken back to the byte, once", async () => {
    const place = await old();
    const before = readFileSync(place.file);
    await compactInPlace(agent, session([summary, ...TAIL]), place);
    expect(await undoInPlace(place.state)).toBe(place.file);
    expect(readFileSync(place.file).equals(before)).toBe(true);
    await expect(undoInPlace(place.state)).rejects.toThrow(/Nothing to undo/);
  });

  it("is not taken back once the session went on", async () => {
    const place = await old();
    await compactInPlace(agent, session([summary, ...TAIL]), place);
    appendFileSync(place.file, "{}\n");
    const went = readFileSync(place.file);
    await expect(undoInPlace(place.state)).rejects.toThrow(/went on since/);
    expect(readFileSync(place.file).equals(went)).toBe(true);
  });

  it("is refused while the agent works", async () => {
    const place = await old();
    utimesSync(place.file, new Date(), new Date());
    await expect(compactInPlace(agent, session([summary]), place)).rejects.toThrow(/at work/);
  });

  it("keeps a torn last line apart", async () => {
    const place = await old();
    appendFileSync(place.file, '{"type":"user","mess');
    const before = new Date(Date.now() - 60_000);
    utimesSync(place.file, before, before);
    await compactInPlace(agent, session([summary, ...TAIL]), place);
    const { conversations } = await readTranscript(readFileSync(place.file), { format: agent });
    expect(saysTheSame(conversations[0]?.messages ?? [], [summary, ...TAIL])).toBe(true);
  });
});

it("a session in a database is not appended to", async () => {
  const place = { id: "ses_1", file: undefined, state: folder };
  await expect(compactInPlace("opencode", session(TAIL), place)).rejects.toThrow(/no session file/);
  expect(existsSync(path.join(folder, "resumed.json"))).toBe(false);
});
