import { isRecord } from "../../core/text/json.ts";
import { z } from "zod";
import type { Message, ToolCallPart } from "../../core/message/index.ts";
import { textParts } from "../content.ts";
import { isMiniSweAgent } from "../signs.ts";
import { createWarnings, type DocumentState, type Reading, type Warnings } from "../transcript.ts";
import {
  type History,
  type HistoryEntry,
  parseEntry,
  parseMiniMessage,
  readHistory,
} from "./history.ts";

/**
 * SWE-agent trajectories (`.traj`), 0.x with actions in the text and 1.x with tool calls, and those
 * of mini-swe-agent. `history` is the conversation; `trajectory` repeats it step by step and is
 * read for the agent's state, for the last observation, and when there is no history.
 */
export const sweAgent = { read: readTrajectory };

const step = z.looseObject({
  action: z.string().optional().catch(undefined),
  observation: z.string().optional().catch(undefined),
  response: z.string().optional().catch(undefined),
  thought: z.string().optional().catch(undefined),
  state: z.unknown().optional(),
});

type Step = z.infer<typeof step>;
type JsonRecord = Readonly<Record<string, unknown>>;

function readTrajectory(document: unknown, { isTorn = false }: DocumentState = {}): Reading {
  const warnings = createWarnings();
  const record = isRecord(document) ? document : {};
  const steps = list(record["trajectory"]).map((value) => step.safeParse(value).data);
  const states = steps.map((each) => parsedState(each?.state));
  const { entries, whole } = conversationEntries(record, steps, { isTorn, warnings });
  const history = readHistory(
    entries,
    states.map((state) => text(state?.["open_file"])),
  );
  const closing = closingResult(history, whole);
  const messages = closing === undefined ? history.messages : [...history.messages, closing];
  const version = versionOf(record);
  const cwd = text(states.at(-1)?.["working_dir"]);
  return {
    version,
    conversations: [{ messages, timeline: [], cwd }],
    compactions: 0,
    warnings: warnings.list(),
  };
}

/**
 * The entries of `history` or `messages`. Where the history is missing or cut short, the steps,
 * which stand before it in the file and say the same, take the place of what it lacks.
 */
function conversationEntries(
  record: JsonRecord,
  steps: readonly (Step | undefined)[],
  { isTorn, warnings }: { isTorn: boolean; warnings: Warnings },
): { entries: HistoryEntry[]; whole: readonly (Step | undefined)[] } {
  const values = isMiniSweAgent(record) ? record["messages"] : record["history"];
  const entries = parseEntries(
    list(values),
    isMiniSweAgent(record) ? parseMiniMessage : parseEntry,
    warnings,
  );
  if (Array.isArray(values) && !isTorn) return { entries, whole: steps };
  const whole = isTorn && !Array.isArray(values) ? steps.slice(0, -1) : steps;
  if (isTorn) entries.pop();
  if (entries.filter(isReply).length >= whole.length) return { entries, whole };
  warnings.add("The history is not whole: the conversation is put together from the steps.");
  const first = entries.findIndex(isReply);
  const opening = first === -1 ? entries : entries.slice(0, first);
  const told = whole.flatMap((each) => (each === undefined ? [] : stepEntries(each)));
  // The last observation is added as for any run that was stopped.
  if (told.at(-1)?.role === "tool") told.pop();
  return { entries: [...opening, ...told], whole };
}

function isReply({ role, is_demo }: HistoryEntry): boolean {
  return role === "assistant" && is_demo !== true;
}

function parseEntries(
  values: readonly unknown[],
  parse: (value: unknown) => HistoryEntry | undefined,
  warnings: Warnings,
): HistoryEntry[] {
  return values.flatMap((value, index) => {
    const entry = parse(value);
    if (entry === undefined) warnings.add(`Entry ${index + 1} of the history is no message.`);
    return entry === undefined ? [] : [entry];
  });
}

function stepEntries({ action, observation, response, thought }: Step): HistoryEntry[] {
  const reply: HistoryEntry = { role: "assistant", content: response ?? thought, thought, action };
  if (observation === undefined) return [reply];
  return [reply, { role: "tool", content: observation }];
}

/** The result of the very last call, where only the last step has it: a run that was stopped. */
function closingResult(
  history: History,
  steps: readonly (Step | undefined)[],
): Message | undefined {
  const call = history.open[0];
  const last = steps.at(-1);
  if (call === undefined || history.open.length > 1 || last?.observation === undefined) {
    return undefined;
  }
  return isLastAction(history.messages, steps) ? resultMessage(call, last.observation) : undefined;
}

function isLastAction(messages: readonly Message[], steps: readonly (Step | undefined)[]): boolean {
  const actions = messages.filter(({ role, kind }) => role === "assistant" && kind === undefined);
  return actions.length === steps.length;
}

function resultMessage(call: ToolCallPart, observation: string): Message {
  const { toolCallId, toolName } = call;
  const output = textParts(observation);
  return { role: "tool", parts: [{ type: "tool-result", toolCallId, toolName, output }] };
}

/** A step's state: an object, or one as JSON in a string; 0.x writes `n/a` for nothing. */
function parsedState(state: unknown): JsonRecord | undefined {
  if (typeof state !== "string") return isRecord(state) ? state : undefined;
  try {
    const parsed: unknown = JSON.parse(state);
    return isRecord(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

function versionOf(record: JsonRecord): string | undefined {
  const info = isRecord(record["info"]) ? record["info"] : {};
  return (
    text(info["swe_agent_version"]) ??
    text(info["mini_version"]) ??
    text(record["trajectory_format"])
  );
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" && value !== "n/a" ? value : undefined;
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
