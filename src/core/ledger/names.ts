import { describeCall } from "../calls/describe-call.ts";
import { normalizePath } from "../calls/path.ts";
import { type Message, messageText, resultText, type ToolCallPart } from "../message/message.ts";
import type { ToolKinds } from "../calls/index.ts";
import type { NameFact } from "./ledger.ts";

/** So many names of the agent's own, and as many of others, are looked for: a summary shows fewer. */
const MOST = 500;
/** So much text is looked through, the newest; what is older is named by its files and commands. */
const LOOK_UNITS = 300_000;
/** A tail stands behind that, which keeps its own names. */
const TAIL_UNITS = 100_000;
/** More of one text than this is data. */
const TEXT_UNITS = 60_000;

/** Reads messages for names; what was read once is not read again while the messages live. */
export interface NameBook {
  /** Reads the messages that are new at the end of a list, as far as {@link NameBook.namesIn} looks. */
  follow(messages: readonly Message[]): void;
  /**
   * The names that messages hold and that nobody can guess (of code, ids, URLs, paths), each once for
   * each file, oldest first. A name is the agent's own if it stands in what the agent wrote; the
   * newest 500 of each kind are taken.
   */
  namesIn(messages: readonly Message[]): readonly NameFact[];
}

/** A text that may hold names, and the file that it is from. */
interface Source {
  readonly text: string;
  readonly path?: string;
  readonly isOwn: boolean;
}

/** The names of one source. */
interface Reading {
  readonly isOwn: boolean;
  /** The part of the text that counts. */
  readonly units: number;
  readonly names: readonly { readonly key: string; readonly fact: NameFact }[];
}

/** A call with its output, or what a message says, as it was read. */
interface Known {
  readonly of: readonly unknown[];
  readonly readings: readonly Reading[];
}

/** Is told what was read, and whether that was known before; tells whether there is need for more. */
type Visit = (readings: readonly Reading[], isKnown: boolean, sources: () => Source[]) => boolean;

export function createNameBook(toolKinds?: ToolKinds): NameBook {
  const known = new WeakMap<object, Known>();
  const read = (key: object, of: readonly unknown[], sources: () => Source[], visit: Visit) => {
    const before = known.get(key);
    const isKnown = before !== undefined && of.every((value, at) => value === before.of[at]);
    const readings = isKnown ? before.readings : sources().map((source) => readingOf(source));
    if (!isKnown) known.set(key, { of, readings });
    return visit(readings, isKnown, sources);
  };
  /** From the newest message on, until `visit` has enough. */
  const walk = (messages: readonly Message[], visit: Visit): void => {
    /** Outputs whose call stands further up. */
    const outputs = new Map<string, string>();
    const readCall = (call: ToolCallPart): boolean => {
      const output = outputs.get(call.toolCallId) ?? "";
      outputs.delete(call.toolCallId);
      return read(call, [output, call.input], () => sourcesOf(call, output, toolKinds), visit);
    };
    let goesOn = true;
    for (let at = messages.length - 1; at >= 0 && goesOn; at--) {
      const message = messages[at] as Message;
      const isOwn = message.role === "assistant";
      if (isOwn || message.kind === "injected") {
        const text = messageText(message);
        if (text !== "") goesOn = read(message, [text], () => [{ text, isOwn }], visit);
      }
      for (const part of message.parts.toReversed()) {
        if (part.type === "tool-result") outputs.set(part.toolCallId, resultText(part));
        else if (part.type === "tool-call") goesOn = readCall(part);
      }
    }
  };
  return {
    follow(messages) {
      let room = LOOK_UNITS + TAIL_UNITS;
      walk(messages, (readings, isKnown) => {
        for (const { units } of readings) room -= units;
        return !isKnown && room > 0;
      });
    },
    namesIn(messages) {
      const own = new Map<string, NameFact>();
      const others = new Map<string, NameFact>();
      let room = LOOK_UNITS;
      walk(messages, (readings, _, sources) => {
        for (const [at, whole] of readings.entries()) {
          const reading = whole.units <= room ? whole : readingOf(sources()[at] as Source, room);
          room -= reading.units;
          addNames(reading, own, others);
        }
        return room > 0;
      });
      return [...others.values(), ...own.values()].toReversed();
    },
  };
}

/** {@link NameBook.namesIn} of messages that are read once. */
export function namesIn(messages: readonly Message[], toolKinds?: ToolKinds): readonly NameFact[] {
  return createNameBook(toolKinds).namesIn(messages);
}

function addNames(
  { isOwn, names }: Reading,
  own: Map<string, NameFact>,
  others: Map<string, NameFact>,
): void {
  const all = isOwn ? own : others;
  if (all.size >= MOST) return;
  for (const { key, fact } of names) if (!own.has(key) && !all.has(key)) all.set(key, fact);
}

function readingOf({ text, path, isOwn }: Source, room = TEXT_UNITS): Reading {
  const looked = text.slice(0, Math.min(TEXT_UNITS, room));
  const names: { key: string; fact: NameFact }[] = [];
  // A loop is compiled once; a function made for each text would be again and again.
  for (const name of namesOf(looked)) {
    if (path?.endsWith(name) === true) continue;
    const fact = { name, ...(path !== undefined && { path }), ...(isOwn && { isOwn }) };
    names.push({ key: `${path ?? ""} ${name}`, fact });
  }
  return { isOwn, units: looked.length, names };
}

function sourcesOf(call: ToolCallPart, output: string, toolKinds: ToolKinds | undefined): Source[] {
  const path = fileOf(call, toolKinds);
  const outputs = Array.from(byFile(output, path), ([file, text]): Source => {
    return { text, path: file, isOwn: false };
  });
  return [{ text: inputTexts(call.input), path, isOwn: true }, ...outputs];
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

/** A URL, else what may be a name, or several with dots or slashes between them; no `\n`, no closing tag. */
const WORD =
  /https?:\/\/[^\s"'`<>()[\]{}|\\]{3,192}|(?<!\\(?=[a-z\d])|<(?=\/))~?[\w$@.+/:-]{5,200}/g;
/** Likely a file as text (base64): no slash in it parts folders. */
const BLOB = /[A-Za-z\d+/]{64,}={0,2}/g;
/** A path from a drive, whose backslashes are no `\n`. */
const DRIVE_PATH = /\b[A-Za-z]:\\+[^\s"'`<>|*?,;]+/g;
/** A hump or an underscore inside: no word of a language. */
const HUMP = /[a-z][A-Z]|[A-Za-z]_[A-Za-z]/;
/** A file below a folder, a file of a kind that programs are made of, a folder that is named from its root. */
const PATH =
  /^[^/]*\/.*\.\w+$|^[\w@][\w@.-]*\.(?:[cm]?[jt]sx?|py|go|rs|java|kt|rb|php|cs|cpp|hpp|json|ya?ml|toml|mdx?|html?|s?css|sql|sh|txt|lock|xml|cfg|ini|env)$|^(?=.*[A-Za-z])(?:\.{0,2}\/[\w@.-]+\/?|[\w@.-]+\/[\w@.-]+\/)[\w@./-]+$/;
const FLAG = /^--[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/;
const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$|^(?=.*\d)(?=.*[a-f])[0-9a-f]{7,40}$/;
const SHORTEST = 5;
const LONGEST = 80;
const LONGEST_URL = 200;

/** The names in a text, each once. */
function namesOf(text: string): ReadonlySet<string> {
  const said = text
    .replace(BLOB, (run) => (/\d/.test(run) && /[A-Z]{2}/.test(run) ? " " : run))
    .replace(DRIVE_PATH, (path) => path.replaceAll(/\\+/g, "/"));
  return new Set([...new Set(said.match(WORD))].flatMap(namesOfWord));
}

function namesOfWord(word: string): readonly string[] {
  if (word.startsWith("--") && FLAG.test(word)) return word.length <= LONGEST ? [word] : [];
  const name = word.replace(/^(?!\.{1,2}\/|\.[\w-]+\/)[.:+-]+|[.,;:!?*+/-]+$/g, "");
  if (name.startsWith("http") && /^https?:\/\/./.test(name))
    return name.length <= LONGEST_URL ? [name] : [];
  const isWhole = (/[./]/.test(name) && PATH.test(name)) || ID.test(name);
  const parts = isWhole ? [name] : name.split(/[^\w$]+/).filter((part) => HUMP.test(part));
  return parts.filter(({ length }) => length >= SHORTEST && length <= LONGEST);
}
