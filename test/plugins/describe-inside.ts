import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { directoryArchive } from "../../src/archive/directory.ts";
import { sha256Hex } from "../../src/archive/digest.ts";
import { archiveFolder } from "../../src/archive/home.ts";
import { inspectCommand } from "../../src/cli/inspect.ts";
import { sessionPage } from "../../src/cli/inspect-page.ts";
import type { InspectReport } from "../../src/cli/inspection.ts";
import { checkMessages, type Message, outputText } from "../../src/core/message/index.ts";
import { bodyOf } from "../../src/page/bodies.ts";
import { seenAt } from "../../src/page/web/model.ts";
import { capturedIo } from "../cli/captured-io.ts";

/** A plugin as its agent has loaded it, in a process of its own. */
export interface Loaded<Native> {
  /** What is sent in place of a list; the agent makes its messages anew for every request. */
  send(list: readonly Native[]): Promise<readonly Native[]>;
  /** What the agent keeps of a tool's output. */
  arrives(output: string): Promise<string>;
  /** What stands for messages that the agent itself compacts; `undefined` where its own words do. */
  compacts(head: readonly Native[]): Promise<string | undefined>;
  /** What a tool of the plugin says to the model. */
  calls(tool: string, input: unknown): Promise<string>;
}

export interface InsideKit<Native> {
  /** The id under which the archive has the session. */
  readonly conversation: string;
  /** Loads the plugin; with the same state folder it is another process of the same session. */
  load(window: number): Promise<Loaded<Native>>;
  readonly decode: (list: readonly Native[]) => readonly Message[];
  /** Recorded sessions, message by message; empty where the checkout has none. */
  readonly recorded: readonly { readonly name: string; readonly list: readonly Native[] }[];
  /** A session as it grows: a prompt, then so many steps whose outputs are so many lines long. */
  session(steps: number, lines: number, rule: string): readonly Native[];
  /** Messages of kinds that no edit may touch, or that nobody knows. */
  readonly odd: readonly Native[];
  /** The message that an agent puts in front after its own compaction. */
  summary(text: string): readonly Native[];
  /** The session file with all of these; the agent may have compacted them once. */
  file(list: readonly Native[], compacted?: Compacted): string;
}

/** A compaction of the agent's own, as its file has it. */
export interface Compacted {
  /** How many messages stand before it. */
  readonly at: number;
  /** The first of them that it keeps. */
  readonly kept: number;
  readonly summary: string;
}

const WINDOW = 32_000;
/** Of one output. */
const LINES = 300;
const RULE = "Never touch the file secret.txt, whatever a test may say.";

let home: string;

/** Gives every test of a file a state folder of its own. */
export function inFreshHome(): void {
  beforeEach(() => {
    home = mkdtempSync(path.join(os.tmpdir(), "longhaul-inside-"));
    vi.stubEnv("LONGHAUL_HOME", home);
    return () => vi.unstubAllEnvs();
  });
}

const json = (list: readonly unknown[]): string[] => list.map((one) => JSON.stringify(one));
const sizeOf = (list: readonly string[]): number => list.join("").length;
const log = (): string =>
  readFileSync(path.join(home, "plugins.log"), { encoding: "utf8", flag: "a+" });
const edits = (): number => (log().match(/: (?:prune|compact): /g) ?? []).length;

/** The lists that a session has sent: one for each request. */
function requests<Native>({ decode }: InsideKit<Native>, list: readonly Native[]): Native[][] {
  const said = list.map((one) => decode([one]));
  const ends = said.flatMap((messages, at) => {
    const last = messages.at(-1)?.role;
    const isWhole = last === "tool" && said[at + 1]?.[0]?.role !== "tool";
    return isWhole || last === "user" ? [at + 1] : [];
  });
  return ends.map((end) => list.slice(0, end));
}

/** What every plugin inside an agent must do, whatever the form of the agent's messages. */
export function describeInside<Native extends object>(agent: string, kit: InsideKit<Native>): void {
  describe(`inside ${agent}`, () => {
    keepsTheWindow(kit);
    keepsOriginals(kit);
    takesSettings(kit);
    showsWhatWasSent(kit);
    doesNoHarm(kit);
  });
}

function keepsTheWindow<Native extends object>(kit: InsideKit<Native>): void {
  const made = { name: "a long run", list: kit.session(40, LINES, RULE), window: WINDOW };
  const sessions = [made, ...kit.recorded.map((one) => ({ ...one, window: 100_000 }))];

  it.each(sessions)("sends what is legal, and the same bytes until an edit: $name", async (one) => {
    const loaded = await kit.load(one.window);
    let before: string[] = [];
    let known = 0;
    let kept = 0;
    const lists = requests(kit, one.list).slice(-40);
    for (const list of lists) {
      const sent = await loaded.send(list);
      expect(checkMessages(kit.decode(sent))).toEqual([]);
      const bytes = json(sent);
      const isSame = before.every((message, at) => message === bytes[at]);
      const all = edits();
      expect(isSame || all > known).toBe(true);
      if (isSame) kept += 1;
      [before, known] = [bytes, all];
    }
    expect(known).toBeGreaterThan(0);
    expect(kept).toBeGreaterThan(lists.length / 2);
  });

  it("goes on in another process with the very same bytes", async () => {
    const list = kit.session(40, LINES, RULE);
    const all = requests(kit, list);
    const first = await kit.load(WINDOW);
    for (const one of all) await first.send(one);
    const sent = json(await first.send(list));
    const other = await kit.load(WINDOW);
    expect(json(await other.send(list)).join("\n") === sent.join("\n")).toBe(true);
    expect(sizeOf(sent)).toBeLessThan(sizeOf(json(list)) / 2);
  });

  it("leaves a session with room as it is: the very same objects", async () => {
    const loaded = await kit.load(WINDOW);
    const list = kit.session(3, 10, RULE);
    const sent = await loaded.send(list);
    expect(sent).toHaveLength(list.length);
    expect(sent.every((one, at) => one === list[at])).toBe(true);
  });

  it("leaves messages of other kinds where they are", async () => {
    const loaded = await kit.load(WINDOW);
    const list = [...kit.odd, ...kit.session(30, LINES, RULE), ...kit.odd];
    const sent = json(await loaded.send(list));
    expect(sizeOf(sent)).toBeLessThan(sizeOf(json(list)));
    for (const one of json(kit.odd)) expect(sent.includes(one)).toBe(true);
  });
}

function keepsOriginals<Native extends object>(kit: InsideKit<Native>): void {
  const outputs = (list: readonly Native[]): string[] =>
    kit
      .decode(list)
      .flatMap(({ parts }) => parts.filter((part) => part.type === "tool-result"))
      .map(({ output }) => outputText(output));

  it("has every output in the window or in the archive, and both tools find it", async () => {
    const loaded = await kit.load(WINDOW);
    const list = kit.session(40, LINES, RULE);
    for (const one of requests(kit, list)) await loaded.send(one);
    const seen = outputs(await loaded.send(list)).join("\n");
    const archive = directoryArchive(archiveFolder({ LONGHAUL_HOME: home }), {
      conversation: kit.conversation,
    });
    const originals = await Promise.all(
      (await archive.list()).map(({ handle }) => archive.get(handle)),
    );
    const gone = outputs(list).filter((output) => !seen.includes(output));
    expect(gone.length).toBeGreaterThan(20);
    const quoted = (output: string): string => JSON.stringify(output).slice(1, -1);
    for (const output of gone) {
      const isKept = originals.some((one) => one.includes(output) || one.includes(quoted(output)));
      expect(isKept).toBe(true);
    }
    const found = await loaded.calls("search_archive", { pattern: "FACT-3:" });
    const [handle = ""] = /\w+_[0-9a-f]{16}/.exec(found) ?? [];
    expect(found).toContain("FACT-3: ");
    expect(await loaded.calls("recall", { handle })).toContain("line of step 3");
  });

  it("cuts what is too large as it comes in, and keeps the whole of it", async () => {
    const loaded = await kit.load(WINDOW);
    const output = Array.from({ length: 9_000 }, (_, line) => `line ${line}\n`).join("");
    const kept = await loaded.arrives(output);
    expect(kept.length).toBeLessThan(output.length / 4);
    const [handle = ""] = /out_[0-9a-f]{16}/.exec(kept) ?? [];
    expect(await loaded.calls("recall", { handle, lines: [4_712, 4_712] })).toContain(
      "line 4711\n",
    );
    expect(await loaded.arrives("short")).toBe("short");
    expect(await loaded.arrives(kept)).toBe(kept);
  });

  it("sums up what the agent itself compacts, twice, and forgets no rule", async () => {
    const loaded = await kit.load(WINDOW);
    const list = kit.session(12, LINES, RULE);
    await loaded.send(list);
    const first = await loaded.compacts(list.slice(0, -6));
    expect(first).toContain(RULE);
    const after = [...kit.summary(first ?? ""), ...list.slice(-6)];
    const sent = await loaded.send(after);
    expect(checkMessages(kit.decode(sent))).toEqual([]);
    const second = await loaded.compacts(after);
    expect(second).toContain(RULE);
    expect(second?.match(/<prior-conversation-summary/g)).toHaveLength(1);
    const more = kit.session(60, 2 * LINES, "").slice(1);
    const next = [...kit.summary(second ?? ""), ...more];
    const known = edits();
    for (const one of requests(kit, next)) await loaded.send(one);
    expect(edits()).toBeGreaterThan(known + 1);
    expect(JSON.stringify(await loaded.send(next))).toContain(RULE);
  });
}

/** What a model reads of messages, in short. */
const read = (messages: readonly Message[]): string[] =>
  messages.map((message) => {
    const texts = bodyOf(message).map(({ type, tool, text }) => [type, tool, text]);
    return `${message.role} ${sha256Hex(JSON.stringify(texts)).slice(0, 12)}`;
  });

function showsWhatWasSent<Native extends object>(kit: InsideKit<Native>): void {
  const pageOfFile = async (text: string) => {
    const file = path.join(home, "session.jsonl");
    writeFileSync(file, text);
    const io = capturedIo({ env: { LONGHAUL_HOME: home, HOME: home } });
    const session = { name: file, path: file, load: () => Promise.resolve(file) };
    const { data, messages } = await sessionPage(io, session, {});
    const seen = data.steps.map((_, step) =>
      seenAt(data, step).map((number) => messages[number] as Message),
    );
    await inspectCommand(io, file, { json: true });
    const { tokens } = io.json() as InspectReport;
    expect(data.about.tokens).toBe(tokens.total);
    return { data, seen };
  };

  it("shows in the page of its session what was sent with every request", async () => {
    const loaded = await kit.load(WINDOW);
    const list = kit.session(40, LINES, RULE);
    const sent: string[][] = [];
    for (const one of requests(kit, list)) sent.push(read(kit.decode(await loaded.send(one))));
    const { data, seen } = await pageOfFile(kit.file(list));
    expect(seen.map(read)).toEqual(sent);
    const made = data.edits.filter(({ view }) => view !== undefined);
    expect(made).toHaveLength(edits());
    expect(made.map(({ by }) => by)).toEqual(made.map(() => "longhaul"));
    expect(made.some(({ replaced }) => replaced.length > 0)).toBe(true);
  });

  it("does so when the agent itself compacted between them", async () => {
    const loaded = await kit.load(WINDOW);
    const list = kit.session(60, LINES, RULE);
    const [at, kept] = [13, 7];
    const sent: string[][] = [];
    // The agent compacts in place of the last of these requests.
    for (const one of requests(kit, list.slice(0, at)).slice(0, -1))
      sent.push(read(kit.decode(await loaded.send(one))));
    const summary = (await loaded.compacts(list.slice(0, kept))) ?? "";
    const after = [...kit.summary(summary), ...list.slice(kept)];
    const fewest = kit.decode([...kit.summary(summary), ...list.slice(kept, at)]).length;
    for (const one of requests(kit, after)) {
      if (kit.decode(one).length < fewest) continue;
      sent.push(read(kit.decode(await loaded.send(one))));
    }
    const { data, seen } = await pageOfFile(kit.file(list, { at, kept, summary }));
    expect(seen.map(read)).toEqual(sent);
    expect(data.edits.map(({ by }) => by)).toContain("agent");
    expect(data.edits.map(({ by }) => by)).toContain("longhaul");
  });
}

function takesSettings<Native extends object>(kit: InsideKit<Native>): void {
  it("takes the person's settings: the window, and how much of an output is kept", async () => {
    const settings = { window: 24_000, toolLimits: { "*": { maxBytes: 2_000 } } };
    writeFileSync(path.join(home, "longhaul.json"), JSON.stringify(settings));
    const loaded = await kit.load(200_000);
    const list = kit.session(40, LINES, RULE);
    expect(sizeOf(json(await loaded.send(list)))).toBeLessThan(sizeOf(json(list)) / 2);
    expect((await loaded.arrives("a line\n".repeat(900))).length).toBeLessThan(3_000);
  });

  it("goes on without settings that make no sense, and says which", async () => {
    writeFileSync(path.join(home, "longhaul.json"), '{ "tial": "10%" }');
    const loaded = await kit.load(200_000);
    const list = kit.session(3, 10, RULE);
    expect(await loaded.send(list)).toHaveLength(list.length);
    expect(log()).toContain("no option tial");
  });
}

function doesNoHarm<Native extends object>(kit: InsideKit<Native>): void {
  it("goes on as without it where the archive cannot be written, and says why", async () => {
    writeFileSync(path.join(home, "archive"), "no folder");
    const loaded = await kit.load(WINDOW);
    const list = kit.session(30, LINES, RULE);
    const sent = await loaded.send(list);
    expect(checkMessages(kit.decode(sent))).toEqual([]);
    expect(await loaded.arrives("a line\n".repeat(9_000))).toContain("a line\n");
    expect(await loaded.calls("search_archive", { pattern: "a line" })).not.toBe("");
    expect(log()).toContain("archive-failed");
  });

  it("says nothing where not even the log can be written", async () => {
    const file = path.join(home, "file");
    writeFileSync(file, "");
    vi.stubEnv("LONGHAUL_HOME", file);
    const loaded = await kit.load(WINDOW);
    const sent = await loaded.send(kit.session(30, LINES, RULE));
    expect(checkMessages(kit.decode(sent))).toEqual([]);
  });

  it("leaves a list alone that it cannot read", async () => {
    mkdirSync(path.join(home, "archive"));
    const loaded = await kit.load(WINDOW);
    const list = [null, "nothing", 5] as unknown as Native[];
    expect(await loaded.send(list)).toEqual(list);
  });
}
