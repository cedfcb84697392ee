import { describeCall } from "../calls/describe-call.ts";
import { normalizePath } from "../calls/path.ts";
import { type Message, messageText, resultText, type ToolCallPart } from "../message/message.ts";
import type { ToolKinds } from "../calls/index.ts";
import type { NameFact } from "./ledger.ts";

/** So many names of the agent's own, and as many of others, are looked for: a summary shows fewer. */
const MOST = 500;
/** So much text is looked through, the newest; what is older is named by its files and commands. */
const LOOK_UNITS = 300_000;
/** More of one text than this is data. */
const TEXT_UNITS = 60_000;

/**
 * The names that messages hold and that nobody can guess (of code, ids, URLs, paths), each once for
 * each file, oldest first. A name is the agent's own if it stands in what the agent wrote; the
 * newest 500 of each kind are taken.
 */
export function namesIn(messages: readonly Message[], toolKinds?: ToolKinds): readonly NameFact[] {
  const own = new Map<string, NameFact>();
  const others = new Map<string, NameFact>();
  /** Outputs whose call stands further up. */
  const outputs = new Map<string, string>();
  const look = { room: LOOK_UNITS };
  const add = (names: Map<string, NameFact>, all: string, path?: string): void => {
    const text = all.slice(0, Math.min(TEXT_UNITS, look.room));
    look.room -= text.length;
    if (names.size >= MOST) return;
    const isOwn = names === own;
    for (const name of namesOf(text)) {
      const key = `${path ?? ""} ${name}`;
      if (own.has(key) || names.has(key) || path?.endsWith(name) === true) continue;
      names.set(key, { name, ...(path !== undefined && { path }), ...(isOwn && { isOwn }) });
    }
  };
  const addCall = (call: ToolCallPart): void => {
    const path = fileOf(call, toolKinds);
    add(own, inputTexts(call.input), path);
    const output = outputs.get(call.toolCallId) ?? "";
    outputs.delete(call.toolCallId);
    for (const [file, text] of byFile(output, path)) add(others, text, file);
  };
  for (let at = messages.length - 1; at >= 0 && look.room > 0; at--) {
    const message = messages[at] as Message;
    if (message.role === "assistant") add(own, messageText(message));
    for (const part of message.parts.toReversed()) {
      if (part.type === "tool-result") outputs.set(part.toolCallId, resultText(part));
      else if (part.type === "tool-call") addCall(part);
    }
  }
  return [...others.values(), ...own.values()].toReversed();
}

/** The one file that a call is about. */
function fileOf(call: ToolCallPart, toolKinds: ToolKinds | undefined): string | undefined {
  const { files } = describeCall(call, toolKinds);
  return files.length === 1 ? files[0]?.path : undefined;
}

/** Texts that lie deeper are data. */
const DEEPEST = 20;

/** The texts in an input, without its field names. */
function inputTexts(input: unknown, depth = 0, seen = new Set<object>()): string {
  if (typeof input === "string") return input;
  if (typeof input !== "object" || input === null || depth > DEEPEST) return "";
  // An input may hold itself, and more than once.
  if (seen.has(input)) return "";
  seen.add(input);
  const texts = Object.values(input).map((value) => inputTexts(value, depth + 1, seen));
  return texts.join("\n");
}

/** A line that a search found: the file, then its number. */
const HIT = /^((?:[A-Za-z]:)?[\w@.+\-/\\]+\.\w+)[:-]\d+[:-]/;

/** An output by the files that it is from: that of its call, else those that its lines begin with. */
function byFile(output: string, path: string | undefined): Iterable<[string | undefined, string]> {
  if (path !== undefined || output === "") return [[path, output]];
  const texts = new Map<string | undefined, string>();
  for (const line of output.slice(0, TEXT_UNITS).split("\n")) {
    const hit = HIT.exec(line)?.[1];
    const file = hit === undefined ? undefined : normalizePath(hit);
    texts.set(
      file,
      `${texts.get(file) ?? ""}\n${hit === undefined ? line : line.slice(hit.length)}`,
    );
  }
  return texts;
}

/** What may be a name, or several with dots or slashes between them. */
const WORD = /[\w$@.+/:-]{5,200}/g;
/** A hump or an underscore inside: no word of a language. */
const HUMP = /[a-z][A-Z]|[A-Za-z]_[A-Za-z]/;
const PATH = /^[^/]*\/.*\.\w+$/;
const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$|^(?=.*\d)(?=.*[a-f])[0-9a-f]{7,40}$/;
const SHORTEST = 5;
const LONGEST = 80;
const LONGEST_URL = 200;

/** The names in a text, each once. */
function namesOf(text: string): ReadonlySet<string> {
  return new Set([...new Set(text.match(WORD))].flatMap(namesOfWord));
}

function namesOfWord(word: string): readonly string[] {
  const name = word.replace(/^[.:+-]+|[.:+/-]+$/g, "");
  if (/^https?:\/\/./.test(name)) return name.length <= LONGEST_URL ? [name] : [];
  const isWhole = ID.test(name) || PATH.test(name);
  const parts = isWhole ? [name] : name.split(/[^\w$]+/).filter((part) => HUMP.test(part));
  return parts.filter(({ length }) => length >= SHORTEST && length <= LONGEST);
}
