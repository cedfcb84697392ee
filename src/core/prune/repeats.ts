import { describeCall, type CallFacts } from "../calls/describe-call.ts";
import { coversRead, type FileAccess } from "../calls/file-access.ts";
import { isPruned } from "../message/edit.ts";
import { wholeOutput } from "../message/original.ts";
import type { Message, ToolResultPart } from "../message/index.ts";
import type { ToolKinds } from "../calls/index.ts";

/** Why a later result makes an earlier one needless. */
type Repeats = ReadonlyMap<ToolResultPart, "superseded" | "duplicate">;

interface Read {
  readonly result: ToolResultPart;
  readonly file: FileAccess;
}

/**
 * Results that say nothing which a later one does not say: a read of a file that was read again,
 * whole or at least as much of it, and an output that comes again word for word. Failed outputs and
 * pruned ones are left out.
 */
export function findRepeats(
  messages: readonly Message[],
  toolKinds: ToolKinds | undefined,
): Repeats {
  const repeats = new Map<ToolResultPart, "superseded" | "duplicate">();
  const byText = new Map<string, ToolResultPart>();
  const newestReads = new Map<string, Read>();
  for (const { result, facts } of wholeResults(messages, toolKinds)) {
    const text = wholeOutput(result.output);
    const same = byText.get(text);
    if (same !== undefined) repeats.set(same, "duplicate");
    byText.set(text, result);
    const file = fileRead(facts);
    if (file === undefined) continue;
    const earlier = newestReads.get(file.path);
    const isCovered = earlier !== undefined && coversRead(file, earlier.file);
    if (isCovered && !repeats.has(earlier.result)) repeats.set(earlier.result, "superseded");
    if (isCovered || earlier === undefined) newestReads.set(file.path, { result, file });
  }
  return repeats;
}

interface WholeResult {
  readonly result: ToolResultPart;
  readonly facts: CallFacts | undefined;
}

function wholeResults(
  messages: readonly Message[],
  toolKinds: ToolKinds | undefined,
): WholeResult[] {
  const calls = new Map<string, CallFacts>();
  const results: WholeResult[] = [];
  for (const part of messages.flatMap((message) => message.parts)) {
    if (part.type === "tool-call") calls.set(part.toolCallId, describeCall(part, toolKinds));
    if (part.type !== "tool-result" || part.isError === true || isPruned(part)) continue;
    results.push({ result: part, facts: calls.get(part.toolCallId) });
  }
  return results;
}

/** The file of a call that reads exactly one. */
function fileRead(facts: CallFacts | undefined): FileAccess | undefined {
  return facts?.kind === "read" && facts.files.length === 1 ? facts.files[0] : undefined;
}
