import { describe, expect, it } from "vitest";
import { contextBudget } from "../../src/core/overflow/index.ts";
import type { Message } from "../../src/core/message/index.ts";
import { createMessageMeter } from "../../src/core/tokens/index.ts";
import {
  CACHE_RULES,
  createEye,
  EMULATED,
  emulation,
  type Outcome,
  policiesFor,
  type Policy,
  referencesOf,
  requestsOf,
  simulate,
  type Use,
} from "../../src/simulate/index.ts";
import { assistant, call, calling, quarter, step, user, words } from "../build-messages.ts";

const meter = createMessageMeter(quarter);

/** An agent that reads files, and goes back to the first one at the end. */
const session: readonly Message[] = [
  user("Find the cause in src/first.ts, never touch src/frozen.ts."),
  ...step("1", "Read", { file_path: "src/first.ts" }, `export function parseHeader\n${words(900)}`),
  ...Array.from({ length: 30 }, (_, at) =>
    step(`r${at}`, "Read", { file_path: `src/part${at}.ts` }, words(900, `seed ${at}`)),
  ).flat(),
  assistant("The cause is parseHeader in src/first.ts; src/frozen.ts stays."),
];

const played = { messages: session, requests: requestsOf(session, meter.tokens) };

function play(policy: Policy, window = 16_000): Promise<Outcome> {
  const setting = {
    budget: contextBudget({ window }),
    sizeOf: meter.total,
    fixed: 0,
    context: { window, counter: quarter },
  };
  return simulate(played, policy, setting, CACHE_RULES);
}

describe("what an agent used", () => {
  it("names what stood before, where, and how far back", () => {
    const uses = played.requests.at(-1)?.uses ?? [];
    const frozen = uses.find(({ text }) => text === "src/frozen.ts");
    expect(frozen).toMatchObject({
      kind: "path",
      at: 0,
      isFar: true,
      companions: ["src/first.ts"],
    });
    const header = uses.find(({ text }) => text === "parseHeader");
    expect(header).toMatchObject({ kind: "identifier", at: 2, sources: ["src/first.ts"] });
  });

  it("takes messages of the assistant that follow each other as one answer", () => {
    const twice = [user("Go."), assistant("I go."), calling(call("1", "ls")), user("Well?")];
    expect(requestsOf(twice, meter.tokens).map(({ length }) => length)).toEqual([1]);
  });

  it("leaves out common names, and what never stood before", () => {
    const isCommon = (name: string): boolean => name === "src/first.ts";
    const names = requestsOf(session, meter.tokens, isCommon).flatMap(({ uses }) => uses);
    expect(names.map(({ text }) => text)).not.toContain("src/first.ts");
    expect(played.requests[0]?.uses.map(({ text }) => text)).toEqual(["src/first.ts"]);
  });
});

describe("what is left of a name", () => {
  const use: Use = {
    kind: "identifier",
    text: "parseHeader",
    at: 2,
    isFar: true,
    companions: ["src/first.ts"],
    sources: ["src/first.ts"],
  };
  const look = createEye(session, "/home/me");
  const archive: Readonly<Record<string, string>> = {
    out_0123456789abcdef: "function parseHeader",
    head_0123456789abcdef: '{"text":"function parseHeader"}',
  };
  const handlesIn = (text: string): readonly string[] => text.match(/\w+_[0-9a-f]{16}/g) ?? [];
  const read = (handle: string): string | undefined => archive[handle];

  it.each([
    ["bound", session],
    ["bound", [user("src/first.ts: parseHeader")]],
    ["kept", [user("parseHeader\nsrc/first.ts")]],
    ["direct", [user("recall out_0123456789abcdef")]],
    ["hinted", [user("recall head_0123456789abcdef; src/first.ts was read")]],
    ["blind", [user("recall head_0123456789abcdef")]],
    ["lost", [user("recall head_fedcba9876543210, parseHeaders")]],
  ] as const)("is %s", (fate, messages) => {
    expect(look({ messages, read, handlesIn })(use)).toBe(fate);
  });

  it("is there by its path from the working directory", () => {
    const absolute: Use = { ...use, kind: "path", text: "/home/me/src/a.ts", companions: [] };
    expect(look({ messages: [user("see src/a.ts")] })(absolute)).toBe("bound");
  });
});

describe("a session, request by request", () => {
  it("loses nothing without a policy, and says which requests nobody would answer", async () => {
    const outcome = await play(policiesFor("plain").at(-1)!);
    expect(outcome).toMatchObject({ policy: "no-op", edits: 0, illegal: 0, requests: 32 });
    expect(outcome.fates.lost).toBe(0);
    expect(outcome.over).toBe(outcome.sizes.filter((size) => size > 16_000).length);
    expect(outcome.over).toBeGreaterThan(0);
  });

  it("keeps the promises of our own policy", async () => {
    const outcome = await play(policiesFor("plain")[0]!);
    expect(outcome).toMatchObject({ policy: "Longhaul", over: 0, illegal: 0 });
    expect(outcome.edits).toBeGreaterThan(0);
    expect([outcome.fates.lost, outcome.far.lost]).toEqual([0, 0]);
    expect(Math.max(...outcome.sizes)).toBeLessThan(contextBudget({ window: 16_000 }).usable);
  });

  it("says what the simple way loses", async () => {
    const outcome = await play(policiesFor("plain").find(({ name }) => name === "keep last")!);
    expect(outcome.far.lost).toBeGreaterThan(0);
    expect(outcome.over).toBe(0);
  });

  it.each(EMULATED)("plays the compaction of %s, and pays for its summaries", async (format) => {
    const outcome = await play(emulation(format), 32_000);
    expect(outcome.summaries).toBeGreaterThan(0);
    expect(outcome.policy).toContain("(emulated)");
    expect(outcome).toMatchObject({ over: 0, illegal: 0 });
    expect(outcome.caches[0]?.output).toBe(outcome.summaries * 2_787);
    expect(Object.values(outcome.fates).reduce((sum, one) => sum + one)).toBe(
      played.requests.flatMap(({ uses }) => uses).length,
    );
  });
});

describe("names", () => {
  it("are found by their shapes", () => {
    const text =
      "see https://a.example/x?y=1 and ./src/a_b.ts:12, run --dry-run, ENOENT, 12345, fooBar, 'npm run check' deadbeef1";
    expect([...referencesOf(text).values()].map(({ kind, text: name }) => [kind, name])).toEqual([
      ["url", "https://a.example/x?y=1"],
      ["id", "deadbeef1"],
      ["path", "./src/a_b.ts"],
      ["error", "ENOENT"],
      ["flag", "--dry-run"],
      ["identifier", "fooBar"],
      ["number", "12345"],
      ["quote", "npm run check"],
    ]);
  });
});
