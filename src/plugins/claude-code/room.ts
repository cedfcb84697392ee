import { contextBudget } from "../../core/overflow/budget.ts";
import { type Fields, fieldsOf } from "../../core/text/json.ts";
import { estimator } from "../../core/tokens/estimator.ts";
import { modelFamily } from "../../core/tokens/family.ts";
import { utf8Length } from "../../core/text/utf8.ts";
import { DEFAULT_LIMITS } from "../../core/truncate/limits.ts";
import { number, text as textIn } from "../../transcripts/lenient.ts";
import { lastLines } from "../last-lines.ts";

/** So far back in a session's file it is looked for the newest compaction. */
const MOST_BYTES = 32_000_000;
/** So much of an output says how many bytes a token has. */
const SAMPLE_UNITS = 20_000;
/** The share of one output in the room between two compactions, as a context gives it of its window. */
const SHARE = 0.1;
/** An output cut shorter than this says nothing, whatever the room. */
const LEAST_BYTES = 2_000;

/** The window of a session by its file, in tokens as its model counts them. */
interface Stretch {
  readonly model?: string;
  /** The first request since the newest compaction. */
  readonly base?: number;
  /** The request before which Claude Code compacted by itself. */
  readonly fullAt?: number;
}

/**
 * The bytes of an output like this for which the window has room; `undefined`: as many as the usual
 * limit lets through, as long as the window was never full. Claude Code puts files that were read
 * back after each compaction, and gives up when the window is full again within three turns three
 * times in a row: where that fills half of a small window, a tenth of the window is too much for an
 * output, so it is a tenth of what is left.
 * @param window In tokens, where somebody named it.
 */
export async function bytesWithin(
  sample: string,
  { file, window }: { readonly file: string; readonly window?: number },
): Promise<number | undefined> {
  const { model, base = 0, fullAt } = await newestStretch(file);
  const usable = window === undefined ? Infinity : contextBudget({ window }).usable;
  const full = Math.min(fullAt ?? Infinity, usable);
  if (full === Infinity) return undefined;
  const room = Math.max(0, full - base);
  const part = sample.slice(0, SAMPLE_UNITS);
  const factor = modelFamily(model ?? "")?.factor ?? 1;
  const bytesAToken = utf8Length(part) / Math.max(1, estimator.count(part) * factor);
  const bytes = Math.floor(room * SHARE * bytesAToken);
  return bytes < DEFAULT_LIMITS.maxBytes ? Math.max(LEAST_BYTES, bytes) : undefined;
}

/** Reads no further back than to the newest compaction that Claude Code made by itself. */
async function newestStretch(file: string): Promise<Stretch> {
  let [model, base]: [string | undefined, number | undefined] = [undefined, undefined];
  let isNewest = true;
  for await (const line of lastLines(file, MOST_BYTES)) {
    if (line.includes('"compact_boundary"')) {
      const { subtype, compactMetadata } = parsed(line);
      if (subtype !== "compact_boundary") continue;
      isNewest = false;
      const { trigger, preTokens } = fieldsOf(compactMetadata);
      if (trigger === "auto") return { model, base, fullAt: number(preTokens) };
    } else if (isNewest && line.includes('"input_tokens"')) {
      const { isSidechain, message } = parsed(line);
      const { usage, model: name } = fieldsOf(message);
      const input = isSidechain === true ? 0 : inputOf(fieldsOf(usage));
      if (input === 0) continue;
      base = input;
      model ??= textIn(name);
    }
  }
  return { model, base };
}

function inputOf(usage: Fields): number {
  const { input_tokens: input, cache_read_input_tokens: read } = usage;
  const { cache_creation_input_tokens: written } = usage;
  return (number(input) ?? 0) + (number(read) ?? 0) + (number(written) ?? 0);
}

/** The newest line may not be whole yet. */
function parsed(line: string): Fields {
  try {
    return fieldsOf(JSON.parse(line));
  } catch {
    return {};
  }
}
