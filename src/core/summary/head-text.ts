import { describeCall } from "../calls/describe-call.ts";
import { describeMedia } from "../continuation/continuation.ts";
import {
  inputText,
  type Message,
  type Part,
  type ToolCallPart,
  type ToolResultPart,
} from "../message/message.ts";
import { isPruned } from "../message/edit.ts";
import { cleanText } from "../text/clean.ts";
import { looksLike } from "../text/markup.ts";
import { headWithin, tailWithin } from "../text/clip.ts";
import { findErrorLines } from "../text/errors.ts";

/** The most UTF-16 units that one piece of each kind may have in a prompt. */
export interface Detail {
  readonly outputs: number;
  /** Of all fields of a tool call together; 0: only what the call is about. */
  readonly inputs: number;
  /** Texts of the agent. */
  readonly texts: number;
  /** Texts of the person: the last thing to be clipped. */
  readonly user: number;
  /** Results that are never clipped. @default none */
  readonly whole?: ReadonlySet<Part>;
}

/** From the finest to the coarsest. Of an output, both ends and its errors are what matters. */
export const DETAILS: readonly Detail[] = [
  { outputs: 8_000, inputs: 2_000, texts: 20_000, user: 60_000 },
  { outputs: 4_000, inputs: 1_000, texts: 8_000, user: 30_000 },
  { outputs: 2_000, inputs: 400, texts: 4_000, user: 16_000 },
  { outputs: 800, inputs: 160, texts: 2_000, user: 8_000 },
  { outputs: 300, inputs: 0, texts: 800, user: 3_000 },
  { outputs: 100, inputs: 0, texts: 300, user: 1_000 },
];

/** A call says at least so much about itself. */
const SUBJECT_UNITS = 120;
const LEAST_COMMAND_UNITS = 240;

/**
 * A message as data for a prompt: elements for what it says and for each call and result. Reasoning
 * is left out, media are described, outputs and long texts are clipped to the detail, and nothing in
 * them can close an element or open one. The same message gives the same text.
 */
export function messageElements(message: Message, detail: Detail): readonly string[] {
  // A continuation says nothing about the work.
  if (message.kind === "continuation") return [];
  const said = message.parts.map(saidText).filter((text) => text.trim() !== "");
  const body = clipMiddle(said.join("\n"), { units: textUnits(message, detail) });
  const own = body === "" ? [] : [element("msg", { from: speaker(message) }, body)];
  return [...own, ...message.parts.flatMap((part) => toolElement(part, detail))];
}

/** The text of a part by itself; tools have elements of their own. */
function saidText(part: Part): string {
  switch (part.type) {
    case "text":
      return part.text;
    case "file":
      return describeMedia([part], undefined);
    case "opaque":
      return `[${part.kind}]`;
    case "reasoning":
    case "tool-call":
    case "tool-result":
      return "";
  }
}

function textUnits({ role, kind }: Message, detail: Detail): number {
  if (kind === "summary") return detail.user;
  if (role === "user") return kind === undefined ? detail.user : detail.outputs;
  return detail.texts;
}

/** Only what the person typed is from the user: a program that writes in their role is not them. */
function speaker({ role, kind }: Message): string {
  if (kind === "summary") return "earlier-record";
  if (role === "user") return kind === undefined ? "user" : "program";
  return role === "assistant" ? "agent" : "program";
}

function toolElement(part: Part, detail: Detail): readonly string[] {
  if (part.type === "tool-call") {
    return [element("call", { tool: part.toolName }, callText(part, detail))];
  }
  return part.type === "tool-result" ? [resultElement(part, detail)] : [];
}

function resultElement(part: ToolResultPart, detail: Detail): string {
  const { toolName, isError, exitCode, output } = part;
  const body = clipMiddle(output.map((piece) => saidText(piece)).join("\n"), {
    units: resultUnits(part, detail),
    namesErrors: true,
  });
  const attributes = {
    tool: toolName,
    ...(isError === true && { status: "failed" }),
    ...(exitCode !== undefined && { exit: String(exitCode) }),
  };
  return element("result", attributes, body);
}

/** A placeholder is as short as it can be. */
const PLACEHOLDER_UNITS = 400;

function resultUnits(part: ToolResultPart, { outputs, whole }: Detail): number {
  if (whole?.has(part) === true) return Infinity;
  return isPruned(part) ? Math.max(outputs, PLACEHOLDER_UNITS) : outputs;
}

/** The subject of a call; in finer detail also its other fields. */
function callText(part: ToolCallPart, detail: Detail): string {
  const { kind, subject, commands } = describeCall(part);
  if (kind === "command" && commands.length > 0) {
    const units = Math.max(detail.inputs, LEAST_COMMAND_UNITS);
    return clipMiddle(commands.join("\n"), { units });
  }
  return [subject, ...fieldLines(part.input, subject, detail.inputs)].join("\n");
}

/** The fields of an input that its subject does not say already, as far as the units go. */
function fieldLines(input: unknown, subject: string, units: number): readonly string[] {
  if (units === 0) return [];
  if (typeof input !== "object" || input === null) {
    const text = inputText(input);
    return subject.includes(text) ? [] : [clipMiddle(text, { units })];
  }
  const lines: string[] = [];
  let left = units;
  for (const [name, value] of Object.entries(input)) {
    if (left <= 0) break;
    const text = inputText(value);
    if (subject.includes(text)) continue;
    const line = `${name.slice(0, SUBJECT_UNITS)}: ${clipMiddle(text, { units: left })}`;
    lines.push(line);
    left -= line.length;
  }
  return lines;
}

function element(name: string, attributes: Readonly<Record<string, string>>, body: string): string {
  const said = Object.entries(attributes).map(
    ([key, value]) => ` ${key}="${escapeAttribute(value)}"`,
  );
  const data = escapeData(body);
  const separator = data.includes("\n") ? "\n" : "";
  return `<${name}${said.join("")}>${separator}${data}${separator}</${name}>`;
}

/** The share of a clipped text that stays at its start; the end says how it came out. */
const START_SHARE = 0.35;
/** A clip of at least so many characters has room for the errors that it leaves out. */
const LEAST_FOR_ERRORS = 600;
const MOST_ERRORS = 3;

/** Options of a clip. */
interface MiddleClip {
  /** At most so many UTF-16 units of the text stay. */
  readonly units: number;
  /** Whether lines of the middle that look like errors are named. @default false */
  readonly namesErrors?: boolean;
}

/** A clean text, or both its ends with a note between them that says how much is left out. */
function clipMiddle(text: string, { units, namesErrors = false }: MiddleClip): string {
  if (text.length <= units) return cleanText(text);
  const start = headWithin(text, { length: Math.floor(units * START_SHARE) });
  const end = tailWithin(text, { length: units - start.length });
  const middle = text.slice(start.length, text.length - end.length);
  const errors = namesErrors && units >= LEAST_FOR_ERRORS ? errorNote(middle) : "";
  const note = `[… ${middle.length} characters left out${errors} …]`;
  return [cleanText(start), note, cleanText(end)].filter((piece) => piece !== "").join("\n");
}

function errorNote(middle: string): string {
  const lines = findErrorLines(middle).first.slice(0, MOST_ERRORS);
  if (lines.length === 0) return "";
  return `, among them:\n${lines.map(({ text }) => text).join("\n")}\n`;
}

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
  `[<＜﹤](?=[\\s\\p{C}\\p{DI}]*(?:[/／][\\s\\p{C}\\p{DI}]*)?(?:${ELEMENTS.map(looksLike).join("|")})(?![\\w-]))`,
  "giu",
);

/**
 * Marks that some servers read as the end of a message or the start of another one, wherever they stand:
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
