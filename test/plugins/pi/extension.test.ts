import { existsSync } from "node:fs";
import path from "node:path";
import { longhaulPi } from "../../../src/plugins/pi/extension.ts";
import { piFormat } from "../../../src/plugins/pi/format.ts";
import type { PiApi, PiContext, PiTool } from "../../../src/plugins/pi/host.ts";
import type { PiMessage } from "../../../src/resume/pi-messages.ts";
import { recording, RECORDINGS } from "../../recordings.ts";
import { type Compacted, describeInside, inFreshHome, type Loaded } from "../describe-inside.ts";

type Handler = (event: unknown, context: PiContext) => Promise<never>;

/** What pi does with an extension, as far as it matters here. */
function load(window: number): Loaded<PiMessage> {
  const handlers = new Map<string, Handler>();
  const tools = new Map<string, PiTool>();
  const api: PiApi = {
    on: (event, handler) => void handlers.set(event, handler as unknown as Handler),
    registerTool: (tool) => void tools.set(tool.name, tool),
    registerCommand: () => undefined,
    getActiveTools: () => [...tools.keys()],
    getAllTools: () => [...tools.values()],
  };
  longhaulPi(api);
  const context: PiContext = {
    cwd: "/work",
    hasUI: false,
    ui: { notify: () => undefined },
    model: { id: "some-model", contextWindow: window, maxTokens: 2_000 },
    sessionManager: { getSessionId: () => "s1" },
    getSystemPrompt: () => "You are a coding agent.",
  };
  const emit = (event: string, fields: object): Promise<Record<string, unknown> | undefined> =>
    handlers.get(event)!({ type: event, ...fields }, context);
  return {
    async send(list) {
      const answer = await emit("context", { messages: list });
      return (answer?.["messages"] as PiMessage[] | undefined) ?? list;
    },
    async arrives(output) {
      const content = [{ type: "text", text: output }];
      const answer = await emit("tool_result", { toolName: "bash", input: {}, content });
      return ((answer?.["content"] as typeof content) ?? content)[0]!.text;
    },
    async compacts(head) {
      const [first, ...rest] = head;
      const isSummary = first?.role === "compactionSummary";
      const preparation = {
        messagesToSummarize: isSummary ? rest : head,
        ...(isSummary && { previousSummary: first["summary"] }),
        firstKeptEntryId: "e1",
        tokensBefore: 1,
      };
      const answer = await emit("session_before_compact", { preparation });
      return (answer?.["compaction"] as { summary: string } | undefined)?.summary;
    },
    async calls(tool, input) {
      const { content } = await tools.get(tool)!.execute("c", input, undefined, undefined, context);
      return content.map((block) => (block.type === "text" ? block.text : "")).join("");
    },
  };
}

function session(steps: number, lines: number, rule: string): PiMessage[] {
  const list: PiMessage[] = [{ role: "user", content: `Do the steps. ${rule}`, timestamp: 1 }];
  for (let step = 1; step <= steps; step++) {
    const id = `call_${step}|fc_${step}`;
    const text = `${`line of step ${step}\n`.repeat(lines)}FACT-${step}: ${step * 7919}`;
    const call = { type: "toolCall", id, name: "bash", arguments: { command: `step ${step}` } };
    list.push(
      {
        role: "assistant",
        content: [{ type: "text", text: `Step ${step}.`, textSignature: `msg_${step}` }, call],
        api: "openai-responses",
        provider: "openai",
        model: "some-model",
        usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
        stopReason: "toolUse",
        timestamp: step * 10,
      },
      {
        role: "toolResult",
        toolCallId: id,
        toolName: "bash",
        content: [{ type: "text", text }],
        details: { kept: step },
        isError: false,
        timestamp: step * 10 + 1,
      },
    );
  }
  return list;
}

/** The messages of a recorded session, as pi had them in its list before it compacted. */
function recorded(file: string): readonly PiMessage[] {
  const lines = recording(path.join("pi", file)).toString("utf8").split("\n");
  const entries = lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Entry);
  return entries.flatMap(({ message }) => (message === undefined ? [] : [message]));
}

interface Entry {
  readonly message?: PiMessage;
}

const FILES = ["pi-v3-compaction.jsonl", "pi-v1-two-compactions.jsonl.gz"];

function compactionLine({ kept, summary }: Compacted) {
  return { type: "compaction", id: "c1", summary, firstKeptEntryId: `e${kept}`, tokensBefore: 9 };
}

inFreshHome();

describeInside("pi", {
  conversation: "pi-s1",
  load: (window) => Promise.resolve(load(window)),
  decode: (list) => piFormat.dialect.decode(list),
  recorded: existsSync(RECORDINGS) ? FILES.map((name) => ({ name, list: recorded(name) })) : [],
  session,
  odd: [
    { role: "custom", customType: "notes", content: "A note.", display: true, timestamp: 9_000 },
    { role: "bashExecution", command: "ls", output: "a.ts", exitCode: 0, timestamp: 9_001 },
    { role: "branchSummary", summary: "The other branch.", fromId: "e7", timestamp: 9_002 },
  ],
  file: (list, compacted) =>
    [
      { type: "session", version: 3, id: "s1", cwd: "/work" },
      ...list.flatMap((message, at) => [
        ...(at === compacted?.at ? [compactionLine(compacted)] : []),
        { type: "message", id: `e${at}`, message },
      ]),
    ]
      .map((line) => JSON.stringify(line))
      .join("\n"),
  summary: (text) => [
    { role: "compactionSummary", summary: text, tokensBefore: 9, timestamp: 5_000 },
  ],
});
