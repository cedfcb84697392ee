import {
  totalUsage,
  type Message,
  type MessageKind,
  type Part,
  type Usage,
} from "../../core/message/message.ts";
import type { CallPairing } from "../call-pairing.ts";
import { anything, fields, flag, list, number, text } from "../lenient.ts";
import {
  type UserContent,
  decodeAssistantContent,
  decodeUserContent,
  reasoning,
} from "./content.ts";

/** One message of a file and what it means. */
export interface Entry {
  readonly role: "user" | "assistant";
  /** As the model is sent it; several when results, typed and injected text are in it. */
  readonly messages: readonly Message[];
  readonly isSummary: boolean;
  /** Whether the message came about by a compaction, as a summary or as a mark. */
  readonly isCompaction: boolean;
  /** Roo: what this message stands for, and what stands for this message. */
  readonly replaces?: string;
  readonly replacedBy: readonly string[];
  /** A reply of its own kind that belongs to the next message: Roo's encrypted reasoning. */
  readonly isReasoning: boolean;
  readonly time?: number;
  readonly tokens?: number;
  readonly model?: string;
}

const entrySchema = fields({
  id: text,
  role: text,
  type: text,
  content: anything,
  ts: number,
  text,
  summary: anything,
  reasoning_content: text,
  modelInfo: fields({ id: text, modelId: text }),
  metrics: fields({
    inputTokens: number,
    outputTokens: number,
    cacheReadTokens: number,
    cacheWriteTokens: number,
    tokens: fields({ prompt: number, completion: number, cached: number }),
  }),
  metadata: fields({ kind: text, displayRole: text, details: anything, tokensBefore: number }),
  isSummary: flag,
  condenseId: text,
  condenseParent: text,
  isTruncationMarker: flag,
  truncationId: text,
  truncationParent: text,
});

type Native = NonNullable<ReturnType<typeof entrySchema.parse>>;

/** `undefined` for what is no message of a user or an assistant. */
export function decodeEntry(value: unknown, calls: CallPairing): Entry | undefined {
  const native = entrySchema.parse(value);
  const role = native?.role;
  if (native === undefined || (role !== "user" && role !== "assistant")) return undefined;
  const usage = role === "assistant" ? usageOf(native.metrics) : undefined;
  const base: Omit<Entry, "messages"> = {
    role,
    isReasoning: native.type === "reasoning",
    ...marks(native),
    time: native.ts,
    tokens: usage && totalUsage(usage),
    model: native.modelInfo?.id ?? native.modelInfo?.modelId,
  };
  if (base.isSummary) return { ...base, messages: [summaryMessage(native)] };
  if (role === "user") return { ...base, messages: userMessages(native, calls) };
  calls.startStep();
  const parts = assistantParts(native, calls);
  const message: Message = { role, parts, ...origin(native), usage };
  return { ...base, messages: parts.length === 0 ? [] : [message] };
}

/** Cline marks compactions in `metadata`; Roo keeps what it hides and names what stands for it. */
function marks(
  native: Native,
): Pick<Entry, "isSummary" | "isCompaction" | "replacedBy" | "replaces"> {
  const kind = native.metadata?.kind;
  const isSummary = kind === "compaction_summary" || native.isSummary === true;
  const isMarker = native.isTruncationMarker === true;
  const replaces = isMarker ? native.truncationId : isSummary ? native.condenseId : undefined;
  return {
    isSummary,
    isCompaction: isSummary || isMarker || kind === "compaction",
    replaces,
    replacedBy: [native.condenseParent, native.truncationParent].filter((id) => id !== undefined),
  };
}

function summaryMessage(native: Native): Message {
  const { typed, injected } = decodeUserContent(native.content, NO_CALLS);
  const metadata = {
    tokensBefore: native.metadata?.tokensBefore,
    details: native.metadata?.details,
  };
  const parts = [...typed, ...injected];
  return { role: "user", kind: "summary", parts, ...origin(native), metadata };
}

/** A summary holds no calls. */
const NO_CALLS: CallPairing = {
  startStep: () => undefined,
  open: (_, toolName, input) => ({ type: "tool-call", toolCallId: "", toolName, input }),
  close: () => undefined,
};

/** Messages that the program wrote into the conversation as a whole say so in their metadata. */
function kindOf({ metadata, isTruncationMarker }: Native): MessageKind | undefined {
  if (isTruncationMarker === true) return "injected";
  return metadata?.displayRole === "system" && metadata.kind !== "compaction"
    ? "injected"
    : undefined;
}

function userMessages(native: Native, calls: CallPairing): Message[] {
  const kind = kindOf(native);
  const content = decodeUserContent(native.content, calls);
  const { results, typed, injected } = kind === undefined ? content : allInjected(content);
  const base = origin(native);
  const messages: Message[] = [];
  if (results.length > 0) messages.push({ role: "tool", parts: results, ...base });
  if (typed.length > 0) messages.push({ role: "user", parts: typed, ...base });
  if (injected.length > 0)
    messages.push({ role: "user", kind: "injected", parts: injected, ...base });
  return messages;
}

function allInjected({ results, typed, injected }: UserContent): UserContent {
  return { results, typed: [], injected: [...typed, ...injected] };
}

const summaryTextSchema = fields({ text });

function assistantParts(native: Native, calls: CallPairing): Part[] {
  if (native.type !== "reasoning") {
    const parts = decodeAssistantContent(native.content, calls);
    return native.reasoning_content ? [reasoning(native.reasoning_content), ...parts] : parts;
  }
  const pieces = list.parse(native.summary).map((piece) => summaryTextSchema.parse(piece)?.text);
  return [reasoning(native.text ?? pieces.filter(Boolean).join("\n"))];
}

function origin(native: Native): { id?: string; time?: number } {
  return { id: native.id, time: native.ts };
}

/** Input counts the cached tokens too, in the SDK as in the extension. */
function usageOf(metrics: Native["metrics"]): Usage | undefined {
  const { inputTokens, outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 } = metrics ?? {};
  const { prompt, completion, cached } = metrics?.tokens ?? {};
  const whole = inputTokens ?? prompt ?? 0;
  const output = outputTokens ?? completion ?? 0;
  if (whole + output === 0) return undefined;
  const cacheRead = cached ?? cacheReadTokens;
  const input = Math.max(0, whole - cacheRead - cacheWriteTokens);
  return { input, output, cacheRead, cacheWrite: cacheWriteTokens };
}
