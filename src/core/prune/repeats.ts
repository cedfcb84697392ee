import { describeCall, type CallFacts } from "../calls/describe-call.ts";
import { coversRead, type FileAccess } from "../calls/file-access.ts";
import { isPruned } from "../message/edit.ts";
import { wholeOutput } from "../message/original.ts";
import type { Message, Part, ToolCallPart, ToolResultPart } from "../message/index.ts";
import type { ToolKinds } from "../calls/index.ts";

/** A tool call, or the result of one with that call, and its place. */
export interface ToolUse {
  readonly message: number;
  readonly part: number;
  readonly call: ToolCallPart;
  readonly facts: CallFacts;
  readonly result?: ToolResultPart;
}

/** Every call and every result of a list, in order; a result without a call has one of no input. */
export function toolUses(
  messages: readonly Message[],
  toolKinds: ToolKinds | undefined,
): readonly ToolUse[] {
  const calls = new Map<string, Pick<ToolUse, "call" | "facts">>();
  const uses: ToolUse[] = [];
  for (let message = 0; message < messages.length; message++) {
    const { parts } = messages[message] as Message;
    for (let part = 0; part < parts.length; part++) {
      const piece = parts[part] as Part;
      if (piece.type === "tool-call") {
        const use = { message, part, call: piece, facts: describeCall(piece, toolKinds) };
        calls.set(piece.toolCallId, use);
        uses.push(use);
      } else if (piece.type === "tool-result") {
        const { toolCallId, toolName } = piece;
        const known = calls.get(toolCallId);
        const call = known?.call ?? { type: "tool-call", toolCallId, toolName, input: {} };
        const facts = known?.facts ?? describeCall(call, toolKinds);
        uses.push({ message, part, call, facts, result: piece });
      }
    }
  }
  return uses;
}

/** Why a later result makes an earlier one needless. */
type Repeats = ReadonlyMap<ToolResultPart, "superseded" | "duplicate">;

/**
 * Results that say nothing which a later one does not say: a read of a file that was read again,
 * whole or at least as much of it, and an output that comes again word for word. Failed outputs and
 * pruned ones are left out.
 */
export function findRepeats(uses: readonly ToolUse[]): Repeats {
  const repeats = new Map<ToolResultPart, "superseded" | "duplicate">();
  const whole = wholeResults(uses);
  const looks = new Map<number, number>();
  for (const { look } of whole) looks.set(look, (looks.get(look) ?? 0) + 1);
  const byText = new Map<string, ToolResultPart>();
  const newestReads = new Map<string, WholeResult>();
  for (const one of whole) {
    const { result, text, file, look } = one;
    // Only texts that look alike are compared, which reads them from end to end.
    if ((looks.get(look) ?? 0) > 1) {
      const same = byText.get(text);
      if (same !== undefined) repeats.set(same, "duplicate");
      byText.set(text, result);
    }
    if (file === undefined) continue;
    const earlier = newestReads.get(file.path);
    const isCovered = earlier?.file !== undefined && coversRead(file, earlier.file);
    if (isCovered && !repeats.has(earlier.result)) repeats.set(earlier.result, "superseded");
    if (isCovered || earlier === undefined) newestReads.set(file.path, one);
  }
  return repeats;
}

interface WholeResult {
  readonly result: ToolResultPart;
  readonly text: string;
  /** The same for texts that are the same, and for hardly any others. */
  readonly look: number;
  /** The file of a call that reads exactly one. */
  readonly file: FileAccess | undefined;
}

function wholeResults(uses: readonly ToolUse[]): readonly WholeResult[] {
  const results: WholeResult[] = [];
  for (const { result, facts } of uses) {
    if (result === undefined || result.isError === true || isPruned(result)) continue;
    const text = wholeOutput(result.output);
    const file = facts.kind === "read" && facts.files.length === 1 ? facts.files[0] : undefined;
    results.push({ result, text, look: lookOf(text), file });
  }
  return results;
}

/** Characters of a text that are looked at; each of them takes the memory longer than all else. */
const LOOKED = 3;

function lookOf(text: string): number {
  const step = Math.floor(text.length / LOOKED) + 1;
  let look = text.length;
  for (let at = 0; at < text.length; at += step) {
    look = (Math.imul(look, 31) + text.charCodeAt(at)) | 0;
  }
  return look;
}
