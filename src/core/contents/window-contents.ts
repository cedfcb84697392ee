import { describeCall } from "../calls/describe-call.ts";
import { clipLine } from "../text/clip.ts";
import type { FilePart, Message, Part, ToolCallPart, ToolResultPart } from "../message/index.ts";
import { resultText } from "../message/message.ts";
import { fieldsOf } from "../text/json.ts";
import { estimator } from "../tokens/estimator.ts";
import { MESSAGE_OVERHEAD, partTokens } from "../tokens/count.ts";

/** The kinds of pieces in a window, in the order in which a report names them. */
const CONTENT_KINDS = [
  "outside",
  "system",
  "summary",
  "user",
  "injected",
  "text",
  "reasoning",
  "tool-call",
  "tool-result",
  "file",
  "other",
] as const;
export type ContentKind = (typeof CONTENT_KINDS)[number];

/** One piece of the window: a part of a message, or a file in a tool result. */
export interface ContentItem {
  readonly kind: ContentKind;
  /** Index of its message; absent for what stands beside the messages. */
  readonly message?: number;
  /** Which tool, for calls, results and files in results. */
  readonly tool?: string;
  /** True for the result of a call that failed. */
  readonly isError?: boolean;
  /** One line that says what it is. */
  readonly subject: string;
  /** Whole numbers that add up to the session's tokens. */
  readonly tokens: number;
}

/** The tokens of one kind. */
export interface KindShare {
  readonly kind: ContentKind;
  readonly tokens: number;
}

/** The part of one tool in the window. */
export interface ToolShare {
  readonly tool: string;
  readonly calls: number;
  readonly failed: number;
  readonly input: number;
  /** Files in its results included. */
  readonly output: number;
}

/** The contents of a window. */
export interface WindowHolder {
  readonly messages: readonly Message[];
  /** The system prompt, where it is known. */
  readonly instructions?: string;
}

/** The contents of a window, in the provider's tokens. */
export interface WindowSize {
  /** All of it. */
  readonly tokens: number;
  /** The load of the request beside these messages: system prompt, tools. */
  readonly outside: number;
}

/** Everything in the window of a session, piece by piece, in order. */
export function windowContents(conversation: WindowHolder, size: WindowSize): ContentItem[] {
  const items = messageContents(conversation.messages).flat();
  const beside = instructionsItem(conversation);
  return [...outsideItem(size), ...inProviderTokens([...beside, ...items], size)];
}

/** The pieces of each message; their tokens are estimates. */
export function messageContents(messages: readonly Message[]): ContentItem[][] {
  const seen: Seen = { calls: new Map(), running: new Map() };
  return messages.map((message, index) =>
    messageItems(message, seen).map((item) => ({ ...item, message: index })),
  );
}

function instructionsItem({ instructions = "" }: WindowHolder): ContentItem[] {
  if (instructions === "") return [];
  const tokens = estimator.count(instructions);
  return [{ kind: "system", subject: clipLine(instructions), tokens }];
}

export function outsideItem({ outside }: WindowSize): ContentItem[] {
  if (outside === 0) return [];
  return [{ kind: "outside", subject: "system prompt and tools", tokens: outside }];
}

/**
 * Estimates become the provider's tokens. The running total is rounded and not each piece, so that
 * the pieces add up to the whole.
 */
function inProviderTokens(items: readonly ContentItem[], size: WindowSize): ContentItem[] {
  const estimated = items.reduce((total, item) => total + item.tokens, 0);
  const scale = estimated > 0 ? (size.tokens - size.outside) / estimated : 1;
  let exact = 0;
  let given = 0;
  return items.map((item) => {
    exact += item.tokens * scale;
    const tokens = Math.round(exact) - given;
    given += tokens;
    return { ...item, tokens };
  });
}

/** The calls and messages before a piece, which tell its kind. */
interface Seen {
  readonly calls: Map<string, ToolCallPart>;
  /** The command by the number of its terminal, where it went on after its first output. */
  readonly running: Map<string, string>;
}

/** Tokens are estimates here; the framing of a message counts with its first piece. */
function messageItems(message: Message, seen: Seen): ContentItem[] {
  const items = message.parts.flatMap((part) => partItems(message, part, seen));
  const [first = { kind: textKind(message), subject: "", tokens: 0 }, ...rest] = items;
  return [{ ...first, tokens: first.tokens + MESSAGE_OVERHEAD }, ...rest];
}

function partItems(message: Message, part: Part, seen: Seen): ContentItem[] {
  if (part.type === "tool-result") return resultItems(part, seen);
  if (part.type === "file") return [fileItem(part)];
  if (part.type === "tool-call") seen.calls.set(part.toolCallId, part);
  return [{ ...ownItem(message, part, seen), tokens: partTokens(part, estimator) }];
}

type OwnPart = Exclude<Part, ToolResultPart | FilePart>;

function ownItem(message: Message, part: OwnPart, seen: Seen): Omit<ContentItem, "tokens"> {
  if (part.type === "text") return { kind: textKind(message), subject: clipLine(part.text) };
  if (part.type === "opaque") return { kind: "other", subject: part.kind };
  if (part.type === "reasoning") {
    return { kind: "reasoning", subject: clipLine(part.text) || "(encrypted)" };
  }
  return { kind: "tool-call", tool: part.toolName, subject: subjectOf(part, seen) };
}

/** The subject of a call; one that writes to a terminal goes on with the command that runs there. */
function subjectOf(call: ToolCallPart, { running }: Seen): string {
  const { session_id: terminal } = fieldsOf(call.input);
  const command = running.get(String(terminal));
  return command === undefined ? describeCall(call).subject : clipLine(`${command} (goes on)`);
}

/** Codex names the terminal in which a command goes on. */
const RUNNING = /^Process running with session ID (\d+)$/m;

function noteRunning(result: ToolResultPart, subject: string, { running }: Seen): void {
  const [, terminal] = RUNNING.exec(resultText(result)) ?? [];
  if (terminal !== undefined && !running.has(terminal)) running.set(terminal, subject);
}

/** The result without its files, and each file in it. */
function resultItems(result: ToolResultPart, seen: Seen): ContentItem[] {
  const call = seen.calls.get(result.toolCallId);
  const subject = call === undefined ? "" : subjectOf(call, seen);
  noteRunning(result, subject, seen);
  const tool = result.toolName || (call?.toolName ?? "");
  const files = result.output.filter((piece) => piece.type === "file").map(fileItem);
  const inFiles = files.reduce((total, file) => total + file.tokens, 0);
  const text: ContentItem = {
    kind: "tool-result",
    tool,
    isError: result.isError === true,
    subject,
    tokens: partTokens(result, estimator) - inFiles,
  };
  return [text, ...files.map((file) => ({ ...file, tool }))];
}

function fileItem(part: FilePart): ContentItem {
  const subject = [part.filename, part.mediaType].filter((text) => text !== undefined).join(", ");
  return { kind: "file", subject, tokens: partTokens(part, estimator) };
}

function textKind({ role, kind }: Message): ContentKind {
  if (kind === "summary") return "summary";
  if (kind !== undefined) return "injected";
  if (role === "assistant") return "text";
  return role === "tool" ? "tool-result" : role;
}

/** The kinds that are there, in their order. */
export function sharesByKind(items: readonly ContentItem[]): KindShare[] {
  return CONTENT_KINDS.map((kind) => ({
    kind,
    tokens: items.reduce((total, item) => total + (item.kind === kind ? item.tokens : 0), 0),
  })).filter((share) => share.tokens > 0);
}

/** The tools that were used, the one that takes most first. */
export function sharesByTool(items: readonly ContentItem[]): ToolShare[] {
  const shares = new Map<string, ToolShare>();
  for (const { kind, tool, tokens, isError } of items) {
    if (tool === undefined) continue;
    const { calls, failed, input, output } = shares.get(tool) ?? NO_CALLS;
    const isCall = kind === "tool-call";
    shares.set(tool, {
      tool,
      calls: calls + (isCall ? 1 : 0),
      failed: failed + (isError === true ? 1 : 0),
      input: input + (isCall ? tokens : 0),
      output: output + (isCall ? 0 : tokens),
    });
  }
  return [...shares.values()].sort((a, b) => b.input + b.output - (a.input + a.output));
}

const NO_CALLS: Omit<ToolShare, "tool"> = { calls: 0, failed: 0, input: 0, output: 0 };

/** The largest pieces of the messages, the largest first. */
export function largestItems(items: readonly ContentItem[], count: number): ContentItem[] {
  return items
    .filter((item) => item.kind !== "outside")
    .sort((a, b) => b.tokens - a.tokens)
    .slice(0, count);
}
