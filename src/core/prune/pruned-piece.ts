import {
  type Edit,
  type Handle,
  inputText,
  originalHandle,
  outputText,
  type ToolResultPart,
} from "../message/index.ts";
import { partTokens } from "../tokens/index.ts";
import { type Candidate, isFailed, LARGE_INPUT_UNITS } from "./candidates.ts";
import type { PruneContext } from "./options.ts";
import { inputPlaceholder, placeholder } from "./placeholder.ts";

/** One pruned piece: the edit, and what it brings back. */
export interface PrunedPiece {
  readonly edit: Edit;
  readonly tool: string;
  /** Tokens saved. */
  readonly saving: number;
}

/** The edit that prunes a candidate; `undefined` where its placeholder would not be smaller. */
export function prunedPiece(candidate: Candidate, context: PruneContext): PrunedPiece | undefined {
  return candidate.result === undefined
    ? prunedInput(candidate, context)
    : prunedOutput(candidate, candidate.result, context);
}

function prunedOutput(
  { message, part, call, facts, reason }: Candidate,
  result: ToolResultPart,
  { counter, digest, now }: PruneContext,
): PrunedPiece | undefined {
  const before = partTokens(result, counter);
  const handle = originalHandle(result, digest);
  const text = placeholder({
    tool: call.toolName || result.toolName,
    input: facts.subject,
    text: outputText(result.output),
    tokens: before,
    isFailed: isFailed(result),
    exitCode: result.exitCode,
    reason,
    handle,
  });
  const after = partTokens({ ...result, output: [{ type: "text", text }] }, counter);
  if (after >= before) return undefined;
  const edit: Edit = { type: "replace-output", message, part, reason, handle, text, at: now };
  return { edit, tool: call.toolName || result.toolName, saving: before - after };
}

function prunedInput(
  { message, part, call, facts }: Candidate,
  { counter, digest }: PruneContext,
): PrunedPiece | undefined {
  const handle = originalHandle(call, digest);
  const input = smallInput(call.input, facts.largeInput, handle);
  const saving = partTokens(call, counter) - partTokens({ ...call, input }, counter);
  if (saving <= 0) return undefined;
  const edit: Edit = { type: "replace-input", message, part, reason: "pruned", handle, input };
  return { edit, tool: call.toolName, saving };
}

function smallInput(input: unknown, largeFields: readonly string[], handle: Handle): unknown {
  if (typeof input === "string") return inputPlaceholder(input, handle);
  const small: Record<string, unknown> = { ...(input as Record<string, unknown>) };
  for (const name of largeFields) {
    const text = inputText(small[name]);
    if (text.length >= LARGE_INPUT_UNITS) small[name] = inputPlaceholder(text, handle);
  }
  return small;
}
