import { sha256Hex } from "../archive/digest.ts";
import type { ArchiveJournal } from "../archive/archive.ts";
import { isWireObject, parseInput } from "../dialects/wire.ts";
import type { TruncationOptions } from "../tools/index.ts";
import { truncateValue } from "../tools/truncate-value.ts";

/** What was made of outputs when they came, so that it is the same in every later request. */
export interface Arrivals {
  /**
   * The output as it goes on. One that is new may be truncated; one that came before stays as it
   * went then, whatever the limits are now.
   */
  arrive(output: Output, truncation: TruncationOptions): Promise<unknown>;
}

/** A result of a tool, as it stands in a request. */
export interface Output {
  readonly content: unknown;
  readonly tool: string;
  readonly input: unknown;
  /** Whether no answer of the model stands behind it yet. */
  readonly isNew: boolean;
}

/** What was made of an output, in the journal of its conversation. */
interface ArrivalEntry {
  readonly arrival: string;
  readonly content: unknown;
}

/** What is shorter, in JSON, is never truncated. */
const LEAST_UNITS = 1_000;

/** A cut that leaves more than this share, its notice included, costs more than it saves: the whole is sent. */
const MOST_LEFT = 0.9;

export interface ArrivalOptions {
  /** `false` where nothing may be written: an output is then cut as it would be. @default true */
  readonly isKept?: boolean;
  /** Hears of every output that is cut. */
  readonly onCut?: () => void;
}

export function createArrivals(
  store: ArchiveJournal | undefined,
  { isKept = true, onCut }: ArrivalOptions = {},
): Arrivals {
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
  return {
    async arrive({ content, tool, input, isNew }, truncation) {
      if (!isLong(content)) return content;
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
      // First it is kept, then it goes out; what cannot be kept goes out whole, now and later.
      if (isKept && !(await isStored({ arrival: key, content: cut }))) return content;
      known.set(key, cut);
      onCut?.();
      return cut;
    },
  };
}

export function isArrivalEntry(value: unknown): value is ArrivalEntry {
  return isWireObject(value) && typeof value["arrival"] === "string" && "content" in value;
}

function isLong(content: unknown): boolean {
  return unitsOf(content) >= LEAST_UNITS;
}

function unitsOf(content: unknown): number {
  if (typeof content === "string") return content.length;
  if (!Array.isArray(content)) return 0;
  return content.reduce((sum: number, part) => sum + textUnits(part), 0);
}

function textUnits(part: unknown): number {
  return isWireObject(part) && typeof part["text"] === "string" ? part["text"].length : 0;
}

/** Where its original cannot be kept the client has the only one, so the output stays whole. */
async function truncated(
  { content, tool, input }: Pick<Output, "content" | "tool" | "input">,
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
