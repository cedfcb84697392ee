import { describe, expect, it } from "vitest";
import { type ContextOptions, createContext, memoryArchive, recallTools } from "../../src/index.ts";
import { unframeSummary } from "../../src/core/summary/frame.ts";
import { findTruncation } from "../../src/core/truncate/marker.ts";
import { messageText, type Message } from "../../src/core/message/message.ts";

const HANDLE = /\b(?:out|parts|in|msg|head)_[0-9a-f]{16}\b/g;
/** A handle that some word before it tells to recall. */
const BY_TOOL = /\brecall(?:="| )(?:out|parts|in|msg|head)_/i;

const LONG = "all is well, nothing to report today\n".repeat(3_000);
const SEARCH = { name: "search", description: "Finds files.", input_schema: { type: "object" } };
const RECALL = { ...SEARCH, name: "recall" };

function session(turns: number): Message[] {
  return Array.from({ length: turns }, (_, at): Message[] => [
    { role: "user", parts: [{ type: "text", text: `Read part ${at}, never touch vendor/.` }] },
    {
      role: "assistant",
      parts: [
        { type: "tool-call", toolCallId: `r${at}`, toolName: "read", input: { path: `${at}.log` } },
        {
          type: "tool-call",
          toolCallId: `w${at}`,
          toolName: "write",
          input: { path: `${at}.md`, content: `${at}: ${LONG.slice(0, 8_000)}` },
        },
      ],
    },
    {
      role: "tool",
      parts: [
        {
          type: "tool-result",
          toolCallId: `r${at}`,
          toolName: "read",
          output: [{ type: "text", text: `${at}: ${LONG.slice(0, 12_000)}` }],
        },
        {
          type: "tool-result",
          toolCallId: `w${at}`,
          toolName: "write",
          output: [{ type: "text", text: "written" }],
        },
      ],
    },
    { role: "assistant", parts: [{ type: "text", text: "Read." }] },
  ]).flat();
}

/** Everything that a context writes for the agent: pruned, compacted twice, and truncated. */
async function written(options: ContextOptions, tools?: unknown): Promise<string> {
  const context = createContext({ window: 60_000, ...options });
  const pruned = await context.prepare(session(10), { tools });
  const compacted = await context.prepare(pruned.messages, { tools, force: true });
  const more = [...compacted.messages, ...session(12)];
  const again = await context.prepare(more, { tools, force: true });
  const { text } = await context.truncate(LONG, { toolName: "bash" });
  expect(text).toContain(findTruncation(text)?.handle ?? "no handle");
  for (const { kind, parts, role } of again.messages) {
    if (kind === "summary") expect(unframeSummary(messageText({ role, parts }))).toBeDefined();
  }
  const all = [pruned, compacted, again].map(({ messages }) => JSON.stringify(messages));
  const plain = [...all, text].join("\n").replaceAll('\\"', '"');
  expect(plain.match(HANDLE)?.length).toBeGreaterThan(5);
  expect(plain).toContain("lines compacted");
  expect(plain).toContain("<tool-output-compacted");
  expect(plain).toContain("Earlier heads: ");
  return plain;
}

describe("how an agent gets originals back", () => {
  it.each([
    ["a list", [SEARCH]],
    ["a list of functions", [{ type: "function", function: SEARCH }]],
    ["a record", { search: SEARCH }],
    ["none", []],
    ["not told", undefined],
  ])("is named by no word where its tools are %s without recall", async (_, tools) => {
    const text = await written({}, tools);
    expect(text).not.toMatch(BY_TOOL);
    expect(text).not.toMatch(/\brecall\b/i);
    expect(text).toMatch(/archived as head_/);
  });

  it.each([
    ["a list", [SEARCH, RECALL]],
    ["a list of functions", [{ type: "function", function: RECALL }]],
    ["a record", recallTools(memoryArchive())],
  ])("is the tool where it is in %s", async (_, tools) => {
    const text = await written({}, tools);
    expect(text).toMatch(BY_TOOL);
    expect(text).not.toMatch(/archived as |archived="/);
  });

  it("is what the option says, whatever the tools are", async () => {
    expect(await written({ recall: true }, [SEARCH])).toMatch(BY_TOOL);
    expect(await written({ recall: false, tools: [RECALL] })).not.toMatch(BY_TOOL);
  });

  it("stays what it was when something was first cut beside tools", async () => {
    const context = createContext({ tools: [SEARCH] });
    const first = await context.truncate(LONG);
    await context.prepare([], { tools: [RECALL] });
    expect((await context.truncate(LONG)).text).toBe(first.text);
  });

  it("is refused where it is neither", () => {
    expect(() => createContext({ recall: "tool" as never })).toThrow(/true or false/);
  });
});
