/** The elements that prompts are made of; no data may open or close one of them. */
const ELEMENTS = [
  "earlier-summary",
  "known-facts",
  "conversation",
  "prior-conversation-summary",
  "msg",
  "call",
  "result",
];

/**
 * A `<`, also in its wide forms, that would open or close an element of ours: in any case, with any
 * space or invisible character in it.
 */
const OWN_ELEMENT = new RegExp(
  `[<＜﹤](?=[\\s\\p{C}]*(?:[/／][\\s\\p{C}]*)?(?:${ELEMENTS.join("|")})(?![\\w-]))`,
  "giu",
);

/**
 * What some servers read as the end of a message or the start of another one, wherever it stands:
 * the control tokens of chat formats.
 */
const CONTROL_TOKEN =
  /<(?=\s*[|｜])|<(?=\/?(?:s|bos|eos|start_of_turn|end_of_turn)>)|\[(?=\/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\])/gi;

/**
 * A text as data for a prompt: it can neither close the element around it nor open another one, and
 * holds no control token of a chat format. Everything else, other markup included, stays as it is.
 */
export function escapeData(text: string): string {
  if (!/[<＜﹤[]/.test(text)) return text;
  return text
    .replace(OWN_ELEMENT, () => "&lt;")
    .replace(CONTROL_TOKEN, (mark) => (mark === "[" ? "&#91;" : "&lt;"));
}

/** A short text as the value of an attribute, on one line. */
export function escapeAttribute(text: string): string {
  return text
    .slice(0, 120)
    .replace(/[\s\p{C}]+/gu, () => " ")
    .replaceAll("&", "&amp;")
    .replaceAll('"', "&quot;")
    .replace(/[<＜﹤]/g, () => "&lt;")
    .replaceAll(">", "&gt;");
}
