import type { Message } from "../../core/message/index.ts";
import { type Fields, fieldsOf, isRecord } from "../../core/text/json.ts";
import { parseInput } from "../../dialects/wire.ts";
import { decodeEach, resultOf, textParts } from "../content.ts";
import { list, text } from "../lenient.ts";
import { isMiniSweAgent } from "../signs.ts";
import { createWarnings, type DocumentReader, type Warnings } from "../transcript.ts";
import { type HistoryEntry, parseEntry, parseMiniMessage, readHistory } from "./history.ts";

/** A step of `trajectory`; `undefined` for a value that is none. */
type Step = Fields | undefined;

/**
 * SWE-agent trajectories (`.traj`), 0.x with actions in the text and 1.x with tool calls, and those
 * of mini-swe-agent. `history` is the conversation; `trajectory` repeats it step by step and is
 * read for the agent's state, for the last observation, and when there is no history.
 */
export const sweAgent: DocumentReader = {
  read(document, { isTorn = false } = {}) {
    const warnings = createWarnings();
    const file = fieldsOf(document);
    const steps = list(file["trajectory"]).map((step) => (isRecord(step) ? step : undefined));
    // The agent's state is an object, or one as JSON in a string.
    const states = steps.map((step) => fieldsOf(parseInput(step?.["state"])));
    const { entries, whole } = conversationEntries(file, steps, { isTorn, warnings });
    const { messages, open } = readHistory(
      entries,
      states.map((state) => known(state["open_file"])),
    );
    const [call] = open;
    const observation = text(whole.at(-1)?.["observation"]);
    // A run that was stopped: only the last step has the result of the very last call.
    const isClosed = open.length === 1 && countActions(messages) === whole.length;
    const closing: Message[] =
      call !== undefined && observation !== undefined && isClosed
        ? [{ role: "tool", parts: [resultOf(call, { output: textParts(observation) })] }]
        : [];
    const cwd = known(states.at(-1)?.["working_dir"]);
    return {
      version: versionOf(file),
      conversations: [{ messages: [...messages, ...closing], timeline: [], cwd }],
      compactions: 0,
      warnings: warnings.list(),
    };
  },
};

function countActions(messages: readonly Message[]): number {
  return messages.filter(({ role, kind }) => role === "assistant" && kind === undefined).length;
}

/**
 * The entries of `history` or `messages`. If the history is missing or cut short, the steps,
 * which stand before it in the file and say the same, take the place of what it lacks.
 */
function conversationEntries(
  file: Fields,
  steps: readonly Step[],
  { isTorn, warnings }: { readonly isTorn: boolean; readonly warnings: Warnings },
): { readonly entries: readonly HistoryEntry[]; readonly whole: readonly Step[] } {
  const isMini = isMiniSweAgent(file);
  const values = isMini ? file["messages"] : file["history"];
  const entries = decodeEach(list(values), isMini ? parseMiniMessage : parseEntry, { warnings });
  if (Array.isArray(values) && !isTorn) return { entries, whole: steps };
  const whole = isTorn && !Array.isArray(values) ? steps.slice(0, -1) : steps;
  if (isTorn) entries.pop();
  if (entries.filter(isReply).length >= whole.length) return { entries, whole };
  warnings.add("The history is not whole: the conversation is put together from the steps.");
  const first = entries.findIndex(isReply);
  const opening = first === -1 ? entries : entries.slice(0, first);
  const told = whole.flatMap((step) => (step === undefined ? [] : stepEntries(step)));
  // The last observation is added as for any run that was stopped.
  if (told.at(-1)?.role === "tool") told.pop();
  return { entries: [...opening, ...told], whole };
}

function isReply({ role, isDemo }: HistoryEntry): boolean {
  return role === "assistant" && !isDemo;
}

function stepEntries(step: Fields): HistoryEntry[] {
  const [action, thought] = [text(step["action"]), text(step["thought"])];
  const content = text(step["response"]) ?? thought;
  const reply: HistoryEntry = { role: "assistant", content, thought, action };
  const observation = text(step["observation"]);
  if (observation === undefined) return [reply];
  return [reply, { role: "tool", content: observation }];
}

function versionOf(file: Fields): string | undefined {
  const { swe_agent_version, mini_version } = fieldsOf(file["info"]);
  return known(swe_agent_version) ?? known(mini_version) ?? known(file["trajectory_format"]);
}

/** A text that says something; 0.x writes `n/a` for nothing. */
function known(value: unknown): string | undefined {
  return value === "n/a" ? undefined : text(value) || undefined;
}
