import { spinner } from "@clack/prompts";
import { percent } from "./figures.ts";
import type { Io } from "../io.ts";

/** Shows on a terminal that long work goes on; silent elsewhere. */
export interface Progress {
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
