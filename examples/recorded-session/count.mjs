// Counts what a recorded session holds: exact tokens, turns, steps, tool calls, errors.
// Run it on its own to count the committed recording: node examples/recorded-session/count.mjs
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";

/**
 * @param {{ info: object, messages: { info: object, parts: object[] }[] }} session an opencode export
 */
export function countSession(session) {
  const users = session.messages.filter((message) => message.info.role === "user");
  const steps = session.messages.filter((message) => message.info.role === "assistant");
  const calls = steps.flatMap(toolParts);
  const tokens = countParts(session.messages.flatMap((message) => message.parts));
  return {
    tokens: { total: sum(Object.values(tokens)), ...tokens },
    turns: users.length,
    steps: steps.length,
    calls: calls.length,
    stepsWithParallelCalls: steps.filter((step) => toolParts(step).length > 1).length,
    errors: calls.filter((call) => call.state.status === "error").length,
    failedCommands: calls.filter((call) => (call.state.metadata?.exit ?? 0) !== 0).length,
    truncatedOutputs: calls.filter((call) => call.state.metadata?.truncated === true).length,
    filesReadMoreThanOnce: countRepeatedReads(calls),
    longestOutput: Math.max(...calls.map((call) => outputOf(call).length)),
    compactions: countCompactions(session),
    lastReportedInput: steps.at(-1).info.tokens.input,
    tools: countByTool(calls),
  };
}

/** The session as text: what a model gets to read, nothing of the client's bookkeeping. */
function countParts(parts) {
  const tokens = { text: 0, reasoning: 0, arguments: 0, outputs: 0 };
  for (const part of parts) {
    if (part.type === "text") {
      tokens.text += count(part.text);
    } else if (part.type === "reasoning") {
      tokens.reasoning += count(part.text);
    } else if (part.type === "tool") {
      tokens.arguments += count(JSON.stringify(part.state.input));
      tokens.outputs += count(outputOf(part));
    }
  }
  return tokens;
}

function count(text) {
  return countTokens(text, { disallowedSpecial: new Set() });
}

function toolParts(message) {
  return message.parts.filter((part) => part.type === "tool");
}

function outputOf(call) {
  return call.state.output ?? call.state.error ?? "";
}

function countRepeatedReads(calls) {
  const reads = calls.filter((call) => call.tool === "read");
  const times = countBy(reads.map((call) => call.state.input.filePath));
  return Object.values(times).filter((number) => number > 1).length;
}

function countCompactions(session) {
  const parts = session.messages.flatMap((message) => message.parts);
  const pruned = parts.filter((part) => part.state?.time?.compacted !== undefined);
  return parts.filter((part) => part.type === "compaction").length + pruned.length;
}

function countByTool(calls) {
  return countBy(calls.map((call) => call.tool).sort());
}

function countBy(names) {
  const counts = {};
  for (const name of names) {
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0);
}

if (process.argv[1] === import.meta.filename) {
  const file = process.argv[2] ?? new URL("./session.json.gz", import.meta.url);
  const text = gunzipSync(readFileSync(file)).toString("utf8");
  console.log(JSON.stringify(countSession(JSON.parse(text)), null, 2));
}
