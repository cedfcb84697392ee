import { sha256Hex } from "../archive/digest.ts";
import type { ArchiveJournal } from "../archive/archive.ts";
import { isWireObject, objectsIn, parseInput, textIn } from "../dialects/wire.ts";
import type { TruncationOptions } from "../tools/index.ts";
import { truncateValue } from "../tools/truncate-value.ts";

/**
 * The output as it goes on. A new one may be truncated; one that came before stays as it went then,
 * whatever the limits are now.
 */
export type Arrive = (output: Output, truncation: TruncationOptions) => Promise<unknown>;

/** A result of a tool, as it stands in a request. */
export interface Output {
  readonly content: unknown;
  readonly tool: string;
  readonly input: unknown;
  /** No answer of the model stands behind it yet. */
  readonly isNew: boolean;
}

/** An output as it went on, in the journal of its conversation. */
interface ArrivalEntry {
  readonly arrival: string;
  readonly content: unknown;
}

/** Shorter outputs are never truncated. */
const LEAST_UNITS = 1_000;

/** A cut that leaves more than this share costs more than it saves: its notice is text, too. */
const MOST_LEFT = 0.9;

/** The outputs of one conversation, for requests that go on and for those that are only counted. */
export interface Arrivals {
  readonly arrive: Arrive;
  /** The same, and nothing is written. */
  readonly look: Arrive;
}

/** `onCut` hears of every output that is cut. */
export function createArrivals(store: ArchiveJournal | undefined, onCut: () => void): Arrivals {
  const known = new Map<string, unknown>();
  let loading: Promise<void> | undefined;
  const load = async (): Promise<void> => {
    for (const entry of (await store?.read()) ?? []) {
      if (isArrivalEntry(entry)) known.set(entry.arrival, entry.content);
    }
  };
  const isStored = async (entry: ArrivalEntry): Promise<boolean> => {
    try {
      await store?.append(entry);
      return true;
    } catch {
      return false;
    }
  };
  const arriving =
    (isKept: boolean): Arrive =>
    async ({ content, tool, input, isNew }, truncation) => {
      if (unitsOf(content) < LEAST_UNITS) return content;
      loading ??= load().catch((error: unknown) => {
        loading = undefined;
        throw error;
      });
      await loading;
      const key = sha256Hex(JSON.stringify([tool, input, content])).slice(0, 32);
      if (known.has(key)) return known.get(key);
      if (!isNew) return content;
      const cut = await truncated({ content, tool, input }, truncation);
      if (unitsOf(cut) > unitsOf(content) * MOST_LEFT) return content;
      // First it is kept, then it goes out; an output that cannot be kept goes out whole, now and later.
      if (!isKept) return cut;
      if (!(await isStored({ arrival: key, content: cut }))) return content;
      known.set(key, cut);
      onCut();
      return cut;
    };
  return { arrive: arriving(true), look: arriving(false) };
}

export function isArrivalEntry(value: unknown): value is ArrivalEntry {
  return isWireObject(value) && typeof value["arrival"] === "string" && "content" in value;
}

function unitsOf(content: unknown): number {
  if (typeof content === "string") return content.length;
  return objectsIn(content).reduce((sum, part) => sum + (textIn(part, "text") ?? "").length, 0);
}

/** The client has the only original where it cannot be kept, so the output stays whole there. */
async function truncated(
  { content, tool, input }: Omit<Output, "isNew">,
  truncation: TruncationOptions,
): Promise<unknown> {
  let hasFailed = false;
  const onTruncated: TruncationOptions["onTruncated"] = (event) => {
    hasFailed ||= event.failure !== undefined;
    truncation.onTruncated?.(event);
  };
  const options = { ...truncation, onTruncated };
  const cut = await truncateValue(content, { toolName: tool, input: parseInput(input) }, options);
  return hasFailed ? content : cut;
}
