import type { ContextOptions } from "../context/index.ts";
import { type Summarizer, summarizerByName } from "../models/index.ts";
import type { CommonOptions, Io } from "./io.ts";
import { whileWaiting } from "./progress.ts";

export interface SummarizerOptions extends CommonOptions {
  /** Who writes the summary. @default "extractive" */
  readonly summarizer?: string;
  /** The longest that the summary may take, in ms. */
  readonly summarizerTimeoutMs?: number;
  /** The window of the model that writes it, in tokens. */
  readonly summarizerWindow?: number;
  /** Whether the JSON report has the prompts that were sent. */
  readonly showPrompt?: boolean;
}

/**
 * What a person chose, as settings of a context. Throws `ContextError` code `invalid-options` for an
 * unknown name, and where a key is missing.
 */
export function chosenSummarizer(
  io: Io,
  options: SummarizerOptions,
): Pick<ContextOptions, "summarizer" | "summarizerTimeoutMs"> {
  const { summarizer: name = "extractive", summarizerTimeoutMs, summarizerWindow } = options;
  const summarizer = summarizerByName(name, io.env, { window: summarizerWindow });
  const isSilent = summarizer === "extractive" || options.json === true;
  return {
    summarizer: isSilent ? summarizer : withProgress(io, summarizer),
    summarizerTimeoutMs,
  };
}

/** Tells who is asked, and how often by now. */
function withProgress(io: Io, summarizer: Summarizer): Summarizer {
  let calls = 0;
  return {
    ...summarizer,
    summarize(request) {
      calls++;
      const again = calls === 1 ? "" : `, call ${calls}`;
      const message = `Asking ${summarizer.name}${again}`;
      return whileWaiting(io, message, () => summarizer.summarize(request));
    },
  };
}
