import { totalUsage, type Message, type Part, type Usage } from "../../core/message/message.ts";
import type { CallPairing } from "../call-pairing.ts";
import { anything, fields, flag, list, number, text } from "../lenient.ts";
import type { ContextSample } from "../transcript.ts";
import { decodeFile, decodeTool } from "./parts.ts";

/** One entry of an export, `{info, parts}`, and what it means. */
export interface Entry {
  readonly id?: string;
  /** As the model was sent it; several when injected text or more than one step is in it. */
  readonly messages: readonly Message[];
  /** False for a failed reply that left nothing to send. */
  readonly sent: boolean;
  /** On the user message that asks for a compaction. */
  readonly marker?: { readonly tailStartId?: string };
  /** On an assistant message that is, or should have become, a summary. */
  readonly isSummary: boolean;
  /** On one that became it. */
  readonly summary?: Message;
  /** On one that became it, although the file does not hold its words. */
  readonly isBlank?: boolean;
  /** The message that it answers. */
  readonly answers?: string;
  readonly samples: readonly ContextSample[];
  readonly model?: string;
  /** The system prompt that the person set for this message. */
  readonly instructions?: string;
}

const tokensSchema = fields({
  total: number,
  input: number,
  output: number,
  reasoning: number,
  cache: fields({ read: number, write: number }),
});

const entrySchema = fields({
  info: fields({
    id: text,
    role: text,
    modelID: text,
    finish: text,
    system: text,
    parentID: text,
    summary: anything,
    error: fields({ name: text }),
    time: fields({ created: number }),
    tokens: tokensSchema,
  }),
  parts: list,
});

const partSchema = fields({
  type: text,
  text,
  synthetic: flag,
  ignored: flag,
  metadata: fields({ compaction_continue: flag }),
  description: text,
  command: text,
  tail_start_id: text,
  tokens: tokensSchema,
});

type Info = NonNullable<NonNullable<ReturnType<typeof entrySchema.parse>>["info"]>;
type NativePart = NonNullable<ReturnType<typeof partSchema.parse>>;
type Tokens = NonNullable<ReturnType<typeof tokensSchema.parse>>;

/** `undefined` for what is no message of a user or an assistant. */
export function decodeEntry(value: unknown, calls: CallPairing): Entry | undefined {
  const native = entrySchema.parse(value);
  if (native?.info?.role === "user") return decodeUser(native.info, native.parts);
  if (native?.info?.role === "assistant") return decodeAssistant(native.info, native.parts, calls);
  return undefined;
}

function decodeUser(info: Info, parts: readonly unknown[]): Entry {
  const natives = parts.map((part) => partSchema.parse(part)).filter((part) => part !== undefined);
  const marker = natives.find((part) => part.type === "compaction");
  const base = {
    id: info.id,
    instructions: info.system,
    isSummary: false,
    samples: [],
    sent: true,
  };
  if (marker === undefined) return { ...base, messages: userMessages(info, natives) };
  return { ...base, messages: [], marker: { tailStartId: marker.tail_start_id } };
}

/**
 * What the person gave, in one message, and in others what opencode added before and after it: the
 * reminder of a mode stands where it was sent.
 */
function userMessages(info: Info, natives: readonly NativePart[]): Message[] {
  const typed: Part[] = [];
  const before: Part[] = [];
  const after: Part[] = [];
  const injected = (): Part[] => (typed.length === 0 ? before : after);
  let last = typed;
  for (const part of natives) {
    if (part.type === "text" && part.ignored !== true && part.text) {
      last = part.synthetic === true ? injected() : typed;
      last.push({ type: "text", text: part.text });
    } else if (part.type === "subtask") {
      injected().push({ type: "text", text: subtaskText(part) });
    } else if (part.type === "file") {
      const file = decodeFile(part);
      if (file !== undefined) last.push(file);
    }
  }
  const base = { role: "user" as const, id: info.id, time: info.time?.created };
  const messages: Message[] = [];
  if (before.length > 0) messages.push({ ...base, parts: before, kind: "injected" });
  if (typed.length > 0) messages.push({ ...base, parts: typed });
  if (after.length > 0) messages.push({ ...base, parts: after, kind: "injected" });
  const continues = natives.some((part) => part.metadata?.compaction_continue === true);
  return continues && typed.length === 0 ? messages.map(asContinuation) : messages;
}

/** The work of a subtask and its answer are in the `task` call that follows. */
function subtaskText({ command, description }: NativePart): string {
  const name = command === undefined ? "a task" : `the command /${command}`;
  return `The user ran ${name}: ${description ?? "no description"}`;
}

/** An injected message that tells the agent to go on after a compaction. */
export function asContinuation(message: Message): Message {
  return { ...message, kind: "continuation", metadata: { compaction_continue: true } };
}

/** A step of an assistant message: opencode may write several into one. */
interface Step {
  readonly parts: Part[];
  readonly results: Part[];
  tokens: Tokens | undefined;
}

function decodeAssistant(info: Info, parts: readonly unknown[], calls: CallPairing): Entry {
  calls.startStep();
  const steps = splitSteps(parts, calls);
  const last = steps.at(-1);
  if (last !== undefined) last.tokens ??= info.tokens;
  const usages = steps.flatMap((step) => usageOf(step.tokens) ?? []);
  const messages = steps.flatMap((step) => stepMessages(info, step));
  return {
    id: info.id,
    messages,
    sent: info.error === undefined || isAbortedWithContent(info, messages),
    isSummary: info.summary === true,
    ...summaryOf(info, messages),
    answers: info.parentID,
    samples: usages.map((usage) => sampleOf(usage, info.time?.created)),
    model: info.modelID,
  };
}

function splitSteps(parts: readonly unknown[], calls: CallPairing): Step[] {
  const steps: Step[] = [];
  let step: Step = { parts: [], results: [], tokens: undefined };
  const flush = (): void => {
    if (step.parts.length > 0 || step.tokens !== undefined) steps.push(step);
    step = { parts: [], results: [], tokens: undefined };
  };
  for (const part of parts) {
    const native = partSchema.parse(part);
    if (native?.type === "step-start") flush();
    else if (native?.type === "step-finish") step.tokens = native.tokens;
    else if (native !== undefined) addToStep(step, native, calls);
  }
  flush();
  return steps;
}

function addToStep(step: Step, native: NativePart, calls: CallPairing): void {
  if (native.type === "text" && native.ignored !== true && native.text) {
    step.parts.push({ type: "text", text: native.text });
  } else if (native.type === "reasoning") {
    step.parts.push({ type: "reasoning", text: native.text ?? "" });
  } else if (native.type === "tool") {
    const use = decodeTool(native, calls);
    if (use !== undefined) step.parts.push(use.call);
    if (use?.result !== undefined) step.results.push(use.result);
  }
}

function stepMessages(info: Info, { parts, results, tokens }: Step): Message[] {
  const base = { id: info.id, time: info.time?.created };
  const messages: Message[] = [];
  const usage = usageOf(tokens);
  if (parts.length > 0) messages.push({ ...base, role: "assistant" as const, parts, usage });
  if (results.length > 0) messages.push({ ...base, role: "tool", parts: results });
  return messages;
}

/** A reply that failed is not sent again, except one that the person stopped after it said something. */
function isAbortedWithContent(info: Info, messages: readonly Message[]): boolean {
  if (info.error?.name !== "MessageAbortedError") return false;
  return messages.some((message) => message.parts.some((part) => part.type !== "reasoning"));
}

/** A compaction is complete when its reply has finished, has no error, and says something. */
function summaryOf(info: Info, messages: readonly Message[]): Pick<Entry, "summary" | "isBlank"> {
  const isComplete = info.summary === true && info.finish !== undefined && info.error === undefined;
  if (!isComplete) return {};
  const parts = messages.flatMap((message) => message.parts.filter((part) => part.type === "text"));
  if (parts.length === 0) return { isBlank: true };
  const base = { id: info.id, time: info.time?.created };
  return { summary: { ...base, role: "user", kind: "summary", parts } };
}

/**
 * opencode counts input without the cache. Whether output holds the reasoning changed over time,
 * so the total decides where there is one.
 */
function usageOf(tokens: Tokens | undefined): Usage | undefined {
  if (tokens === undefined) return undefined;
  const { input = 0, output = 0, total } = tokens;
  const { read = 0, write = 0 } = tokens.cache ?? {};
  const made = total === undefined ? output : Math.max(output, total - input - read - write);
  if (input + made + read + write === 0) return undefined;
  return { input, output: made, cacheRead: read, cacheWrite: write };
}

function sampleOf(usage: Usage, time: number | undefined): ContextSample {
  return { time, tokens: totalUsage(usage) };
}
