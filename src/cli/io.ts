import pc from "picocolors";
import { showControls, withoutEscapes } from "../core/text/clean.ts";
import { brokenLine, withSpaces } from "./columns.ts";

/** The world outside a command, so that a test can stand in for it. */
export interface Io {
  /** Results go here. */
  readonly stdout: Output;
  /** Talk goes here: progress, warnings, errors. */
  readonly stderr: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder that relative paths start from. */
  readonly cwd: string;
  /** The file that this program was started from, absolute. */
  readonly program: string;
}

export interface Output {
  /** `false`: whoever reads is slower; there is room again at the next `drain`. */
  write(data: string | Uint8Array): unknown;
  once?(event: "drain", listener: () => void): unknown;
  readonly isTTY?: boolean;
  /** Characters of a line, on a terminal. */
  readonly columns?: number;
}

/** Takes the exit code of a command that has its own. */
export type SetExitCode = (code: number) => void;

/** Options that every command has. */
export interface CommonOptions {
  /** Print the result as JSON on stdout. */
  readonly json?: boolean;
}

/** Whether somebody sits before both ends. */
export function isTerminal({ stdout }: Io): boolean {
  return stdout.isTTY === true && process.stdin.isTTY;
}

/** The width of a table or a chart: the terminal's width within sensible bounds, 100 elsewhere. */
export function widthOf({ stdout }: Io): number {
  return stdout.isTTY === true ? Math.min(120, Math.max(60, terminalWidth(stdout))) : 100;
}

/** The columns of a terminal, 80 if it does not say; elsewhere lines have no end: programs read them. */
export function terminalWidth({ isTTY, columns }: Output): number {
  return isTTY === true ? columns || 80 : Infinity;
}

// oxlint-disable no-control-regex -- they are about control characters
/** Our own colours. */
const PAINT = /(\x1b\[(?:[12]|22|3[1-6]|39)m)/;
/** Carriage returns and what changes the direction of text; `showControls` knows the others. */
const MOVING = /[\r\u202a-\u202e\u2066-\u2069]/g;
/** Control characters and line ends that JSON itself leaves as they are. */
const UNSAFE_JSON = /[\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;
// oxlint-enable no-control-regex

/**
 * A text as a terminal may get it. Titles, tool names, paths and errors come from sessions, and
 * whoever wrote those must not move a cursor or rename a window here: only our own colours pass.
 */
export function shown(text: string): string {
  const pieces = pc.isColorSupported ? text.split(PAINT) : [text];
  return pieces
    .map((piece, at) =>
      at % 2 === 1 ? piece : showControls(withoutEscapes(piece).replace(MOVING, "")),
    )
    .join("");
}

/** The same JSON, with every control character in it as an escape of JSON. */
export function shownJson(json: string): string {
  return json.replace(
    UNSAFE_JSON,
    (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Prints a value as JSON, for programs. */
export function printJson({ stdout }: Io, value: unknown): void {
  stdout.write(`${shownJson(JSON.stringify(value, null, 2))}\n`);
}

/** Prints the result of a command: with `--json` as a versioned object, else as lines for people. */
export function tell(
  io: Io,
  { json }: CommonOptions,
  value: object,
  view: () => readonly string[],
): void {
  if (json === true) printJson(io, { version: 1, ...value });
  else printLines(io, view());
}

/** Text for people on its way out: no control character, and no line that is wider than a terminal. */
export function writeText(output: Output, text: string): void {
  const columns = terminalWidth(output);
  const lines = shown(text).split("\n");
  const fitting = Number.isFinite(columns)
    ? lines.flatMap((line) => brokenLine(line, columns))
    : lines;
  output.write(withSpaces(fitting.join("\n")));
}

/** Prints lines for people. */
export function printLines({ stdout }: Io, lines: readonly string[]): void {
  writeText(stdout, `${lines.join("\n")}\n`);
}

/** Prints lines that somebody else wrote, each as long as it was. */
export function printOriginal({ stdout }: Io, lines: readonly string[]): void {
  stdout.write(`${shown(lines.join("\n"))}\n`);
}

/** Tells people something that is no result: a warning, an error. */
export function talk({ stderr }: Pick<Io, "stderr">, line: string): void {
  writeText(stderr, `${line}\n`);
}

/** Prints bytes as they come, no faster than they are read; on a terminal without what controls it. */
export async function printPieces(
  { stdout }: Io,
  pieces: AsyncIterable<Uint8Array>,
): Promise<void> {
  const decoder = new TextDecoder();
  for await (const piece of pieces) {
    const text = stdout.isTTY === true ? decoder.decode(piece, { stream: true }) : undefined;
    const written = stdout.write(text === undefined ? piece : shownPiece(text));
    if (written !== false || stdout.once === undefined) continue;
    await new Promise<void>((resolve) => stdout.once?.("drain", resolve));
  }
}

/** Of a text that comes in pieces, a sequence may stand in two: its characters are shown as pictures. */
function shownPiece(text: string): string {
  return showControls(text.replace(MOVING, ""));
}
