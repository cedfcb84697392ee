/*
 * What models and servers send instead of a summary. Only the words of the answer are looked at,
 * and only where the sections are not there: in a summary the same words are its content.
 */

import { fencedLines } from "../sections.ts";

const LOOK_UNITS = 400;

/** Tool calls as models write them when they have no tools to call. */
const TOOL_CALL =
  /^ ?(?:<\/?(?:tool_call|tool_calls|function_calls?|tool_use|antml:[a-z_]+|invoke|execute_command|read_file)\b|<function=|<\|?(?:tool_call|tool_calls|python_tag|channel)|<｜tool|\[TOOL_CALLS?\]|functions\.\w+\s*[({]|to=functions\.)/im;
/** The whole answer is one call as JSON. */
const JSON_CALL =
  /^(?:```(?:json)?\s*)?\{\s*"(?:name|tool|tool_name|function|recipient_name)"\s*:\s*["{]/;

/** Whether there is a tool call in the text, quoted ones left out. */
export function holdsToolCall(text: string): boolean {
  if (JSON_CALL.test(text.slice(0, LOOK_UNITS).trimStart())) return true;
  return TOOL_CALL.test(text) && TOOL_CALL.test(withoutFenced(text));
}

function withoutFenced(text: string): string {
  const lines = text.split("\n");
  const fenced = fencedLines(lines);
  return lines.filter((_, line) => !fenced.has(line)).join("\n");
}

const ERROR_BODY =
  /^(?:<!doctype|<html|<\?xml|\{\s*"(?:error|type"\s*:\s*"error|errors|detail|message|code|status)"|\[\s*\{\s*"error")/i;
const ERROR_WORDS =
  /\b(?:rate.?limit|too many requests|overloaded|quota exceeded|insufficient.quota|internal server error|bad gateway|service unavailable|gateway time-?out|context.length.exceeded|maximum context length|prompt is too long|invalid api key|unauthorized|authentication.error|model not found|request timed out|upstream connect)\b|^(?:api )?error\b|^\d{3} [a-z]/i;

/** The start of an error message, if the text is one. */
export function errorStart(text: string): string | undefined {
  const start = text.trimStart().slice(0, LOOK_UNITS);
  if (!ERROR_BODY.test(start) && !ERROR_WORDS.test(start)) return undefined;
  const line = start.replace(/\s+/g, " ").trim();
  return line.length > 120 ? `${line.slice(0, 119)}…` : line;
}

const CHAT_START =
  /^(?:sure\b|certainly\b|of course\b|okay\b|ok\b|great\b|thanks\b|thank you\b|got it\b|absolutely\b|hello\b|hi\b|yes\b|i['’]?(?:ll|m|ve)\b|i (?:will|am|have|can|cannot|need)\b|let me\b|let['’]s\b|now,? i\b|next,? i\b|you\b|sorry\b|unfortunately\b)/i;
const CHAT_END = /\?\s*$|\b(?:let me know|feel free)\b[^\n]*$/i;

/** Whether the text speaks to the user or goes on with the work. */
export function speaksToUser(text: string): boolean {
  const start = text.trimStart();
  return CHAT_START.test(start) || CHAT_END.test(start.slice(-LOOK_UNITS));
}

/** What no sentence or list item ends with, and a heading with nothing below it. */
const BROKEN_END =
  /(?:[,([{–—&:]|\b(?:and|or|the|an?|to|of|in|with|for|was|that|which|because|und|der|die|das))$|^\s*(?:[-*•]|\d+[.)])\s*$|^#/i;

/** Whether a text ends in the middle of a sentence, of inline code or of a list item. */
export function breaksOff(text: string): boolean {
  const last = text.slice(text.lastIndexOf("\n") + 1);
  return BROKEN_END.test(last) || (last.replace(/^ *`{3,}/, "").match(/`/g)?.length ?? 0) % 2 === 1;
}
