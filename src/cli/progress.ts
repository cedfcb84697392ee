import pc from "picocolors";
import { spinner } from "@clack/prompts";
import { clipEnd, percent, plural } from "./figures.ts";
import type { Io } from "./io.ts";

/** Shows on a terminal that long work goes on; silent elsewhere. */
interface Progress {
  /** How far the work is, if that is known. */
  update(message: string, done?: number, whole?: number): void;
  stop(): void;
}

/** Short work shows nothing: it would only flicker. */
const SHOW_AFTER_MS = 400;

/** `quiet` is for runs whose stderr belongs to a program as well. */
export function startProgress({ stderr }: Io, quiet: boolean): Progress {
  if (stderr.isTTY !== true || quiet) return { update: () => undefined, stop: () => undefined };
  const startedAt = Date.now();
  let shown: ReturnType<typeof spinner> | undefined;
  return {
    update(message, done, whole) {
      if (Date.now() - startedAt < SHOW_AFTER_MS) return;
      const text = whole === undefined ? message : `${message} ${percent(done ?? 0, whole)}`;
      if (shown === undefined) {
        shown = spinner({ output: process.stderr });
        shown.start(text);
      } else shown.message(text);
    },
    stop() {
      shown?.clear();
      shown = undefined;
    },
  };
}

const CLEAR = "\r\x1b[2K";
const TICK_MS = 1_000;

/** Does a task; on a terminal a line says meanwhile what is waited for, and how long already. */
export async function whileWaiting<Result>(
  { stderr }: Pick<Io, "stderr">,
  message: string,
  task: () => Promise<Result>,
): Promise<Result> {
  if (stderr.isTTY !== true) return task();
  const startedAt = Date.now();
  const show = (): void => {
    const seconds = plural(Math.floor((Date.now() - startedAt) / TICK_MS), "second");
    const line = clipEnd(`${message}: ${seconds}`, (stderr.columns ?? 80) - 1);
    stderr.write(CLEAR + pc.dim(line));
  };
  show();
  const timer = setInterval(show, TICK_MS);
  try {
    return await task();
  } finally {
    clearInterval(timer);
    stderr.write(CLEAR);
  }
}
