import type { PromptMessage, PromptPart } from "./types.ts";

/** What a strict provider refuses a prompt for, in a sentence; `undefined` for a legal one. */
export function promptProblem(prompt: readonly PromptMessage[]): string | undefined {
  const begin = prompt.findIndex(({ role }) => role !== "system");
  const messages = begin < 0 ? [] : prompt.slice(begin);
  if (messages[0]?.role !== "user") return "the first message must be the user's";
  if (messages.at(-1)?.role === "assistant") return "the last message must not be the assistant's";
  return emptyProblem(prompt) ?? systemProblem(messages) ?? pairingProblem(messages);
}

function emptyProblem(prompt: readonly PromptMessage[]): string | undefined {
  for (const [index, { content }] of prompt.entries()) {
    const texts = typeof content === "string" ? [content] : content.map(textOf);
    if (texts.length === 0) return `message ${index} has no content`;
    if (texts.some((text) => text?.trim() === "")) return `message ${index} has an empty text`;
  }
  return undefined;
}

function textOf(part: PromptPart): string | undefined {
  return part.type === "text" ? part.text : undefined;
}

function systemProblem(messages: readonly PromptMessage[]): string | undefined {
  const at = messages.findIndex(({ role }) => role === "system");
  return at < 0 ? undefined : `message ${at} is a system message between others`;
}

/** Every call has its result right behind it, and every result its call right before it. */
function pairingProblem(messages: readonly PromptMessage[]): string | undefined {
  let open: readonly string[] = [];
  const seen = new Set<string>();
  for (const { role, content } of messages) {
    const parts = typeof content === "string" ? [] : content;
    if (role === "tool") {
      const results = parts.flatMap((part) =>
        part.type === "tool-result" ? [part.toolCallId] : [],
      );
      const orphan = results.find((id) => !open.includes(id));
      if (orphan !== undefined) return `the result ${orphan} has no call before it`;
      open = open.filter((id) => !results.includes(id));
      continue;
    }
    if (open.length > 0) return `the call ${open[0]} has no result`;
    open = parts.flatMap((part) => (part.type === "tool-call" ? [part.toolCallId] : []));
    const twice = open.find((id, index) => seen.has(id) || open.indexOf(id) !== index);
    if (twice !== undefined) return `the call ${twice} is there twice`;
    for (const id of open) seen.add(id);
  }
  return open.length > 0 ? `the call ${open[0]} has no result` : undefined;
}
