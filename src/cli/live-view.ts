import pc from "picocolors";
import type { Progress } from "../spill/index.ts";
import { bytes, plural } from "./figures.ts";
import type { Io } from "./io.ts";

/** Shows a person what a command prints, and below it how much that is by now. */
export interface LiveView {
  readonly update: (progress: Progress) => void;
  /** Whether something went by too fast to be shown. */
  hasSkipped(): boolean;
  /** Takes the count away again. */
  stop(): void;
  /** Prints a line of talk below what was shown. */
  note(line: string): void;
}

/** Short commands show no count: it would only flicker. */
const COUNT_AFTER_MS = 1_000;
const CLEAR_LINE = "\r\x1b[2K";

export function startLiveView({ stdout, stderr }: Io): LiveView {
  const decoder = new TextDecoder();
  let [isAtLineStart, hasCount, hasSkipped] = [true, false, false];

  const clear = (): void => {
    if (hasCount) stderr.write(CLEAR_LINE);
    hasCount = false;
  };
  const show = (text: string): void => {
    if (text === "") return;
    stdout.write(text);
    isAtLineStart = text.endsWith("\n");
  };
  return {
    update({ latest, skipped, lines, bytes: size, elapsedMs }) {
      clear();
      if (skipped > 0) {
        hasSkipped = true;
        show(`${isAtLineStart ? "" : "\n"}${pc.dim(`… ${bytes(skipped)} went by …`)}\n`);
      }
      show(decoder.decode(latest, { stream: true }));
      if (!isAtLineStart || elapsedMs < COUNT_AFTER_MS || stderr.isTTY !== true) return;
      const seconds = plural(Math.round(elapsedMs / 1_000), "second");
      const counted = lines === undefined ? [] : [plural(lines, "line")];
      stderr.write(pc.dim([...counted, bytes(size), seconds].join(", ")));
      hasCount = true;
    },
    hasSkipped: () => hasSkipped,
    stop: clear,
    note(line) {
      clear();
      stderr.write(`${isAtLineStart ? "" : "\n"}${line}\n`);
      isAtLineStart = true;
    },
  };
}
