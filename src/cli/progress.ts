import pc from "picocolors";
import { clipLine } from "../core/text/clip.ts";
import { percent, plural } from "../core/text/figures.ts";
import type { Io } from "./io.ts";

/** Shows on a terminal that long work goes on; silent elsewhere. */
interface Progress {
  /** The state of the work, if it is known. */
  update(message: string, done?: number, whole?: number): void;
  stop(): void;
}

/** Short work shows nothing: it would only flicker. */
const SHOW_AFTER_MS = 400;
const CLEAR = "\r\x1b[2K";
const TICK_MS = 1_000;

/** `quiet` is for runs whose stderr belongs to a program as well. */
export function startProgress(
  { stderr }: Pick<Io, "stderr">,
  quiet: boolean,
  showAfterMs = SHOW_AFTER_MS,
): Progress {
  if (stderr.isTTY !== true || quiet) return { update: () => undefined, stop: () => undefined };
  const startedAt = Date.now();
  let shown = "";
  return {
    update(message, done, whole) {
      if (Date.now() - startedAt < showAfterMs) return;
      const text = whole === undefined ? message : `${message} ${percent(done ?? 0, whole)}`;
      const line = clipLine(text, (stderr.columns ?? 80) - 1);
      if (line !== shown) stderr.write(CLEAR + pc.dim(line));
      shown = line;
    },
    stop() {
      if (shown !== "") stderr.write(CLEAR);
    },
  };
}

/** Does a task; on a terminal a line says meanwhile what is waited for, and how long already. */
export async function whileWaiting<Result>(
  io: Pick<Io, "stderr">,
  message: string,
  task: () => Promise<Result>,
): Promise<Result> {
  const progress = startProgress(io, false, 0);
  let seconds = 0;
  const show = (): void => progress.update(`${message}: ${plural(seconds++, "second")}`);
  show();
  const timer = setInterval(show, TICK_MS);
  try {
    return await task();
  } finally {
    clearInterval(timer);
    progress.stop();
  }
}
