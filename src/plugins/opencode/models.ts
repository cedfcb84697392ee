import { fieldsOf } from "../../core/text/json.ts";
import { list, number } from "../../transcripts/lenient.ts";
import type { AgentModel } from "../inside/session.ts";
import { within } from "./within.ts";
import type { OpencodeConfig, OpencodeInput, OpencodeModel } from "./host.ts";

/** opencode's facts about its models. */
export interface Models {
  /** The model that a message names; its sizes are absent where nobody says them. */
  of(provider: string, id: string): Promise<AgentModel>;
  /** A model that is being called. */
  note(model: OpencodeModel): void;
  /** The person's settings, as they stand. */
  configure(config: OpencodeConfig): void;
}

/** opencode allows no longer answer than that, whatever the model says. */
const MOST_OUTPUT = 32_000;
/** Tokens that opencode keeps free where a model names its largest input. */
const RESERVED = 20_000;
/** The most of an answer that is kept free beside that. */
const MOST_ANSWER = 8_000;
/** The list of models is there at once, or not at all. */
const WAIT_MS = 3_000;

export function createModels({ client }: OpencodeInput): Models {
  const known = new Map<string, OpencodeModel>();
  let compaction: OpencodeConfig["compaction"];
  let listed: Promise<void> | undefined;
  const takeList = async (): Promise<void> => {
    const answer = await within(WAIT_MS, client?.config?.providers?.());
    for (const provider of list(fieldsOf(fieldsOf(answer)["data"])["providers"])) {
      const { id, models } = fieldsOf(provider);
      for (const [name, model] of Object.entries(fieldsOf(models))) {
        known.set(keyOf(String(id), name), { id: name, limit: limitsOf(model) });
      }
    }
  };
  return {
    configure: (config) => void ({ compaction } = config),
    note(model) {
      known.set(keyOf(model.providerID ?? "", model.id), model);
    },
    async of(provider, id) {
      const key = keyOf(provider, id);
      if (!known.has(key)) await (listed ??= takeList().catch(() => undefined));
      const { limit = {} } = known.get(key) ?? {};
      const { context: window = 0 } = limit;
      return window <= 0 ? { id } : { id, window, usable: usableBeside(limit, compaction) };
    },
  };
}

function keyOf(provider: string, id: string): string {
  return `${provider}/${id}`;
}

function limitsOf(model: unknown): OpencodeModel["limit"] {
  const limit = fieldsOf(fieldsOf(model)["limit"]);
  const of = (name: string): number | undefined => number(limit[name]);
  return { context: of("context"), input: of("input"), output: of("output") };
}

/**
 * The most that a request may have, in tokens, so that opencode itself never has to compact: it
 * does when a request and its answer have so many together. With its own compaction off, it is the
 * most that the model takes.
 */
function usableBeside(
  { context = 0, input, output }: NonNullable<OpencodeModel["limit"]>,
  compaction: OpencodeConfig["compaction"],
): number | undefined {
  if (compaction?.auto === false) return input;
  const answer = Math.min(output === undefined || output === 0 ? MOST_OUTPUT : output, MOST_OUTPUT);
  const reserved = compaction?.reserved ?? Math.min(RESERVED, answer);
  const most = input === undefined ? context - answer : input - reserved;
  const usable = most - Math.min(answer, MOST_ANSWER);
  return usable < context / 4 ? undefined : usable;
}
