import pc from "picocolors";
import { clipEnd, plural } from "./figures.ts";
import type { Io } from "../io.ts";

const CLEAR_LINE = "\r\x1b[2K";
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
    stderr.write(CLEAR_LINE + pc.dim(line));
  };
  show();
  const timer = setInterval(show, TICK_MS);
  try {
    return await task();
  } finally {
    clearInterval(timer);
    stderr.write(CLEAR_LINE);
  }
}
