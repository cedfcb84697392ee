import { checkMessages, type MessageIssue } from "./check.ts";
import {
  type Message,
  outputText,
  type Part,
  type ToolCallPart,
  type ToolResultPart,
  withParts,
} from "./message.ts";
import { leadingSystemCount } from "./structure.ts";

/** The changes that {@link repairMessages} had to make, one sentence each, with the index in the input. */
export interface Repair {
  readonly index: number;
  readonly message: string;
}

export interface RepairResult {
  readonly messages: readonly Message[];
  readonly repairs: readonly Repair[];
  /** Pieces that no provider takes and no other place was found for, by the message that held them. */
  readonly dropped: readonly Message[];
  /** The number of leading system messages. */
  readonly lead: number;
}

/** One result of the input, and whether a call has taken it. */
interface LooseResult {
  readonly part: ToolResultPart;
  readonly index: number;
  taken: boolean;
}

type RepairState = ReturnType<typeof startRepair>;

/** The result of a call that has none; the text says no more than is known. */
export const NO_RESULT_TEXT = "[No result of this tool call was recorded.]";

/**
 * Makes a conversation legal without losing anything: results are paired with calls by id within
 * their step, else by position, else by id anywhere; they are put directly after their call; a call
 * without a result gets an error result, unless it is pending; a result without a call becomes an
 * injected user message with all that it holds; ids that are missing or used twice are replaced;
 * empty messages are dropped. Opaque parts of tool messages (an approval, say) stay in their step.
 * Calls and reasoning that nobody but a model can have made are left out where another role says
 * them; `dropped` has them, for the archive.
 *
 * A legal list is returned as it is, and every message that needs no repair is the same object. The
 * leading system messages, which may be others every time, have no part in what becomes of the rest.
 * `issues` are those of this very list, where they are known already.
 */
export function repairMessages(
  messages: readonly Message[],
  issues: readonly MessageIssue[] = checkMessages(messages),
): RepairResult {
  const lead = leadingSystemCount(messages);
  if (issues.length === 0) return { messages, repairs: [], dropped: [], lead };
  const rules = repaired(messages.slice(0, lead));
  const rest = repaired(messages.slice(lead));
  const moved = rest.repairs.map((repair) => ({ ...repair, index: repair.index + lead }));
  const repairs = [...rules.repairs, ...moved];
  const dropped = [...rules.dropped, ...rest.dropped];
  const mended = [...rules.output, ...rest.output];
  return { messages: mended, repairs, dropped, lead: rules.output.length };
}

function repaired(messages: readonly Message[]): RepairState {
  const state = startRepair(distinct(messages));
  // All pairs are made before anything is put out: a result may stand before its call.
  state.input.forEach(({ role }, from) => {
    if (role === "assistant") matchResults(state, { from, end: stepEnd(state.input, from) });
  });
  let index = 0;
  while (index < messages.length) {
    const message = state.input[index] as Message;
    const end = message.role === "assistant" ? stepEnd(state.input, index) : index + 1;
    if (message.role === "assistant") repairStep(state, index, end);
    else keepRest(state, index);
    index = end;
  }
  return state;
}

/** Parts are told apart by identity, so an object that stands twice becomes two. */
function distinct(messages: readonly Message[]): readonly Message[] {
  const seen = new Set<Part>();
  return messages.map((message) => {
    const parts = message.parts.map((part) => {
      const own = seen.has(part) ? { ...part } : part;
      seen.add(own);
      return own;
    });
    return parts.every((part, at) => part === message.parts[at]) ? message : { ...message, parts };
  });
}

function startRepair(input: readonly Message[]) {
  const results = new Map<Part, LooseResult>();
  const byId = new Map<string, LooseResult[]>();
  const callIds = new Set<string>();
  input.forEach((message, index) => {
    for (const part of message.parts) {
      if (part.type === "tool-call") callIds.add(part.toolCallId);
      if (part.type !== "tool-result") continue;
      const loose = { part, index, taken: false };
      results.set(part, loose);
      byId.set(part.toolCallId, [...(byId.get(part.toolCallId) ?? []), loose]);
    }
  });
  return {
    input,
    output: [] as Message[],
    repairs: [] as Repair[],
    dropped: [] as Message[],
    results,
    byId,
    callIds,
    matched: new Map<ToolCallPart, LooseResult>(),
    /** Tool messages that went out with their step. */
    placed: new Set<Message>(),
    usedIds: new Set<string>(),
  };
}

/** A step reaches up to the next assistant message; what lies between may belong to it. */
function stepEnd(messages: readonly Message[], from: number): number {
  let end = from + 1;
  while (end < messages.length && messages[end]?.role !== "assistant") end++;
  return end;
}

function repairStep(state: RepairState, from: number, end: number): void {
  const assistant = state.input[from] as Message;
  const answers: ToolResultPart[] = [];
  let changed = false;
  const parts = assistant.parts.flatMap((part): Part[] => {
    if (part.type === "tool-result") return [];
    if (part.type !== "tool-call") return [part];
    const id = freshId(state, part.toolCallId, from);
    changed ||= id !== part.toolCallId;
    const answer = answerFor(state, part, { id, from });
    if (answer !== undefined) answers.push(answer);
    return [id === part.toolCallId ? part : { ...part, toolCallId: id }];
  });
  changed ||= parts.length !== assistant.parts.length;
  if (parts.length > 0) state.output.push(changed ? withParts(assistant, parts) : assistant);
  else note(state, from, "An assistant message without parts was left out.");
  pushAnswers(state, answers, { from, end });
  const own = assistant.parts.filter((part) => part.type === "tool-result");
  const stray = own.filter((part) => state.results.get(part)?.taken === false);
  if (stray.length > 0) {
    const released = stray.flatMap((part) => releasedResult(state, part, from));
    state.output.push(injected(released));
  }
  for (let index = from + 1; index < end; index++) keepRest(state, index);
}

interface StepRange {
  readonly from: number;
  readonly end: number;
}

/** Pairs the calls of one step with results: by id in the step, by position, by id anywhere. */
function matchResults(state: RepairState, { from, end }: StepRange): void {
  const calls = (state.input[from]?.parts ?? []).filter((part) => part.type === "tool-call");
  const step = state.input.slice(from, end).flatMap(({ parts }) => parts);
  const near = step.flatMap((part) => state.results.get(part) ?? []);
  const take = (call: ToolCallPart, result: LooseResult | undefined): void => {
    if (result === undefined) return;
    result.taken = true;
    state.matched.set(call, result);
  };
  for (const call of calls) {
    const isOwn = ({ taken, part }: LooseResult) => !taken && part.toolCallId === call.toolCallId;
    take(call, near.find(isOwn));
  }
  for (const call of calls) {
    if (state.matched.has(call)) continue;
    const byPosition = near.find((result) => !result.taken && isNameless(state, result, call));
    const far = state.byId.get(call.toolCallId)?.find((result) => !result.taken);
    take(call, byPosition ?? (call.toolCallId === "" ? undefined : far));
  }
}

/** A result may be paired by position where its id, or the call's, says nothing. */
function isNameless(state: RepairState, { part }: LooseResult, call: ToolCallPart): boolean {
  if (part.toolCallId === "" || call.toolCallId === "") return true;
  return !state.callIds.has(part.toolCallId) && part.toolName === call.toolName;
}

/** The result of a call that goes out under an id; `undefined` for a pending one that has none. */
function answerFor(
  state: RepairState,
  call: ToolCallPart,
  { id, from }: { readonly id: string; readonly from: number },
): ToolResultPart | undefined {
  const found = state.matched.get(call);
  if (found === undefined) {
    if (call.pending === true) return undefined;
    const { toolName } = call;
    note(state, from, `Tool call ${toolName} had no result; an error result was put in.`);
    const output = [{ type: "text" as const, text: NO_RESULT_TEXT }];
    return { type: "tool-result", toolCallId: id, toolName, output, isError: true };
  }
  if (found.index < from) note(state, found.index, "A result stood before its call; it was moved.");
  return found.part.toolCallId === id ? found.part : { ...found.part, toolCallId: id };
}

/**
 * Puts the answers directly after the calls, in the native tool messages where nothing changed, and
 * with them what is opaque in the step's tool messages: it belongs to the step, whatever it is.
 */
function pushAnswers(
  state: RepairState,
  answers: readonly ToolResultPart[],
  { from, end }: StepRange,
): void {
  const pending = new Set<Part>(answers);
  for (let index = from + 1; index < end; index++) {
    const message = state.input[index] as Message;
    if (message.role !== "tool" || message.parts.length === 0) continue;
    const own = message.parts.filter((part) => part.type === "opaque" || pending.has(part));
    const isWhole = own.length === message.parts.length;
    const kept = isWhole ? own : own.filter((part) => part.type === "opaque");
    if (kept.length === 0) continue;
    state.output.push(isWhole ? message : withParts(message, kept));
    state.placed.add(message);
    for (const part of kept) pending.delete(part);
    if (state.input.slice(from + 1, index).some((between) => between.role !== "tool")) {
      note(state, index, "A result did not follow its call directly; it was moved up.");
    }
  }
  const rest = answers.filter((answer) => pending.has(answer));
  if (rest.length > 0) state.output.push({ role: "tool", parts: rest });
}

/** A result that no call took is kept as text, so that nothing is lost. */
function keepRest(state: RepairState, index: number): void {
  const message = state.input[index] as Message;
  const hasResults = message.parts.some(({ type }) => type === "tool-result");
  const isSaid = ({ type }: Part): boolean => type === "tool-call" || type === "reasoning";
  drop(state, index, message.parts.filter(isSaid));
  const parts = message.parts.flatMap((part): Part[] => {
    if (isSaid(part)) return [];
    if (part.type === "opaque" && state.placed.has(message)) return [];
    if (part.type !== "tool-result") return [part];
    return state.results.get(part)?.taken === true ? [] : releasedResult(state, part, index);
  });
  const isOpaque = parts.every((part) => part.type === "opaque");
  const isWhole = parts.length === message.parts.length && (message.role !== "tool" || isOpaque);
  if (isWhole && parts.length > 0 && !hasResults) state.output.push(message);
  else if (parts.length > 0) {
    const isTool = message.role === "tool";
    state.output.push(isTool ? injected(parts) : withParts(message, parts));
  } else if (message.role !== "tool") note(state, index, "A message without parts was left out.");
}

function injected(parts: readonly Part[]): Message {
  return { role: "user", kind: "injected", parts };
}

/** The texts and files of a result, as a user may send them. */
function releasedResult(state: RepairState, part: ToolResultPart, index: number): Part[] {
  note(state, index, "A tool result had no call; it was kept as an injected user message.");
  const { output, toolName } = part;
  if (output.some(({ type }) => type === "opaque")) drop(state, index, [part]);
  const text = `[Result of an unknown call of ${toolName || "a tool"}]\n${outputText(output)}`;
  return [{ type: "text", text }, ...output.filter(({ type }) => type === "file")];
}

/** Leaves parts out; the caller has them for its archive. */
function drop(state: RepairState, index: number, parts: readonly Part[]): void {
  if (parts.length === 0) return;
  const { role } = state.input[index] as Message;
  const kinds = [...new Set(parts.map(({ type }) => type))].join(" and ");
  state.dropped.push({ role, parts });
  note(state, index, `A ${kinds} part of a message of the role ${role} was left out.`);
}

function freshId(state: RepairState, id: string, index: number): string {
  const base = id === "" ? `call_${index}` : id;
  let fresh = base;
  for (let count = 2; state.usedIds.has(fresh); count++) fresh = `${base}-${count}`;
  state.usedIds.add(fresh);
  if (fresh !== id) note(state, index, `Tool call id ${id || "(none)"} became ${fresh}.`);
  return fresh;
}

function note(state: RepairState, index: number, message: string): void {
  state.repairs.push({ index, message });
}
