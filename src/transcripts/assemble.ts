import type { Message, Part, ToolResultPart } from "../core/message/index.ts";

/** One piece of a recorded conversation, in recorded order. */
export type Piece =
  /** A part of a reply; pieces with the same `reply` become one assistant message. */
  | { readonly type: "reply"; readonly reply: string; readonly message: Message }
  /** A message with results only. */
  | { readonly type: "results"; readonly message: Message }
  /** Anything else. */
  | { readonly type: "other"; readonly message: Message };

/** An assistant message, the results of its calls, and what came before the next one. */
interface Step {
  reply: Message | undefined;
  readonly results: Message[];
  readonly after: Message[];
}

interface OpenCall {
  readonly step: Step;
  readonly toolName: string;
}

/** The exit code that an agent wrote into a result; results have their tool's name by then. */
type ReadExitCode = (result: ToolResultPart) => number | undefined;

/**
 * Puts recorded pieces into the order that providers want: a reply whole, the results of its
 * calls directly behind it (in recorded order), then what a program or a person said meanwhile.
 * A result without a call stays where it was recorded.
 */
export function assembleSteps(
  pieces: readonly Piece[],
  exitCodeOf: ReadExitCode = () => undefined,
): Message[] {
  const steps: Step[] = [{ reply: undefined, results: [], after: [] }];
  const replies = new Map<string, Step>();
  const open = new Map<string, OpenCall[]>();
  for (const piece of pieces) if (piece.type === "reply") noteReply(piece, replies, open);
  const placed = new Set<Step>();
  for (const piece of pieces) {
    const step = piece.type === "reply" ? replies.get(piece.reply) : steps.at(-1);
    if (step === undefined) continue;
    if (piece.type === "results") placeResults(piece.message, step, { open, exitCodeOf });
    else if (piece.type === "other") step.after.push(piece.message);
    else if (!placed.has(step)) steps.push(step);
    placed.add(step);
  }
  return steps.flatMap(({ reply, results, after }) => [
    ...(reply === undefined ? [] : [reply]),
    ...results,
    ...after,
  ]);
}

function noteReply(
  { reply, message }: Extract<Piece, { type: "reply" }>,
  replies: Map<string, Step>,
  open: Map<string, OpenCall[]>,
): void {
  const known = replies.get(reply);
  const step: Step = known ?? { reply: undefined, results: [], after: [] };
  step.reply = step.reply === undefined ? message : joined(step.reply, message);
  replies.set(reply, step);
  for (const part of message.parts) {
    if (part.type !== "tool-call") continue;
    const call = { step, toolName: part.toolName };
    const same = open.get(part.toolCallId);
    if (same === undefined) open.set(part.toolCallId, [call]);
    else same.push(call);
  }
}

/** The parts of both; of what else there is, the later message knows better, but it began first. */
function joined(first: Message, second: Message): Message {
  const { usage = first.usage, id = first.id } = second;
  const parts = [...first.parts, ...second.parts];
  return { ...first, ...second, id, usage, time: first.time ?? second.time, parts };
}

interface Naming {
  readonly open: Map<string, OpenCall[]>;
  readonly exitCodeOf: ReadExitCode;
}

function placeResults(message: Message, here: Step, { open, exitCodeOf }: Naming): void {
  const homes = new Map<Message[], Part[]>();
  for (const part of message.parts) {
    const call = part.type === "tool-result" ? open.get(part.toolCallId)?.shift() : undefined;
    const home = call === undefined ? here.after : call.step.results;
    const named =
      call === undefined ? part : { ...(part as ToolResultPart), toolName: call.toolName };
    const exitCode =
      named.type === "tool-result" && call !== undefined ? exitCodeOf(named) : undefined;
    const whole = exitCode === undefined ? named : { ...named, exitCode };
    homes.set(home, [...(homes.get(home) ?? []), whole]);
  }
  for (const [home, parts] of homes) home.push({ ...message, parts });
}
