/** The world outside a command, so that a test can stand in for it. */
export interface Io {
  /** Results go here. */
  readonly stdout: Output;
  /** Talk goes here: progress, warnings, errors. */
  readonly stderr: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where relative paths start. */
  readonly cwd: string;
}

export interface Output {
  /** `false`: whoever reads is slower; there is room again at the next `drain`. */
  write(data: string | Uint8Array): unknown;
  once?(event: "drain", listener: () => void): unknown;
  readonly isTTY?: boolean;
  /** Characters of a line, on a terminal. */
  readonly columns?: number;
}

/** Options that every command has. */
export interface CommonOptions {
  /** Print the result as JSON on stdout. */
  readonly json?: boolean;
}

/** How wide a result may be: the terminal's width within sensible bounds, 100 elsewhere. */
export function widthOf({ stdout }: Io): number {
  return stdout.isTTY === true ? Math.min(120, Math.max(60, stdout.columns ?? 80)) : 100;
}

/** Prints a value as JSON, for programs. */
export function printJson({ stdout }: Io, value: unknown): void {
  stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}

/** Prints lines for people. */
export function printLines({ stdout }: Io, lines: readonly string[]): void {
  stdout.write(`${lines.join("\n")}\n`);
}

/** Prints bytes as they come, no faster than they are read. */
export async function printPieces(
  { stdout }: Io,
  pieces: AsyncIterable<Uint8Array>,
): Promise<void> {
  for await (const piece of pieces) {
    if (stdout.write(piece) !== false || stdout.once === undefined) continue;
    await new Promise<void>((resolve) => stdout.once?.("drain", resolve));
  }
}
