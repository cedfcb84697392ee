import path from "node:path";
import { stripVTControlCharacters } from "node:util";
import type { Io } from "../../src/cli/io.ts";

/** An {@link Io} that keeps what was printed. */
export interface CapturedIo extends Io {
  /** What stands on stdout, without colours. */
  text(): string;
  /** The same with them. */
  raw(): string;
  lines(): string[];
  /** What stands on stdout, as JSON. */
  json(): unknown;
  /** What stands on stderr, without colours. */
  talk(): string;
}

export interface CapturedOptions {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
  /** A terminal this wide; none by default. */
  readonly columns?: number;
  /** The same of stderr. */
  readonly talkColumns?: number;
}

export function capturedIo({
  env = {},
  cwd,
  columns,
  talkColumns,
}: CapturedOptions = {}): CapturedIo {
  let stdout = "";
  let stderr = "";
  const text = (): string => stripVTControlCharacters(stdout);
  const asText = (piece: string | Uint8Array): string =>
    typeof piece === "string" ? piece : Buffer.from(piece).toString("utf8");
  return {
    stdout: {
      write: (piece) => (stdout += asText(piece)),
      ...(columns !== undefined && { isTTY: true, columns }),
    },
    stderr: {
      write: (piece) => (stderr += asText(piece)),
      ...(talkColumns !== undefined && { isTTY: true, columns: talkColumns }),
    },
    env,
    cwd: cwd ?? process.cwd(),
    program: path.resolve("test/.built/main.js"),
    text,
    raw: () => stdout,
    lines: () => text().trimEnd().split("\n"),
    json: () => JSON.parse(stdout),
    talk: () => stripVTControlCharacters(stderr),
  };
}
