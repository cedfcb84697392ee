import path from "node:path";
import type { Command } from "commander";
import { repairMessages } from "../core/message/repair.ts";
import { estimator } from "../core/tokens/estimator.ts";
import { createMessageMeter, scaledMeter } from "../core/tokens/meter.ts";
import {
  CACHE_RULES,
  plainMessages,
  policiesFor,
  requestsOf,
  type Setting,
  simulate,
} from "../simulate/index.ts";
import { readSessionHistory } from "../transcripts/stretches.ts";
import { type Io, tell } from "./io.ts";
import {
  chooseWindow,
  type Loaded,
  loadConversation,
  type LoadOptions,
  measureOptions,
  sessionOptions,
  windowWarnings,
} from "./load.ts";
import { measureSession } from "./measure-session.ts";
import { plural } from "../core/text/figures.ts";
import { startProgress } from "./progress.ts";
import { mergedSettings, readSettings, type Settings } from "../settings/settings.ts";
import {
  type SimulatedSession,
  simulationJson,
  simulationSvg,
  simulationView,
} from "./simulate-report.ts";
import { refuseInput, writeFileAtomically } from "./write-file.ts";
import type { Message } from "../core/message/index.ts";
import type { TranscriptInput } from "../transcripts/index.ts";

interface SimulateFlags extends LoadOptions {
  /** The file for the picture. */
  readonly svg?: string;
}

/** `longhaul simulate FILE…`: recorded sessions, played again under several policies. */
export function define(command: Command, io: Io): void {
  sessionOptions(command, "[session...]")
    .description(
      "Plays sessions again, request by request, and says what each way of making room would have kept of what the agent used later, and what it would have cost with a prompt cache: our own, pruning alone, the agent's own compaction (emulated), dropping the oldest, and nothing. No model is asked.",
    )
    .option(
      "--svg <file>",
      "write a picture: tokens of each request, and what is kept for how many",
    )
    .addHelpText("after", EXAMPLES)
    .action((wanted: string[], flags: SimulateFlags) => simulateCommand(io, wanted, flags));
}

const EXAMPLES = `
Examples:
  longhaul simulate --last
  longhaul simulate session.jsonl --window 64k --svg kept.svg
  longhaul simulate *.jsonl --json`;

async function simulateCommand(
  io: Io,
  wanted: readonly string[],
  { svg, ...flags }: SimulateFlags,
): Promise<void> {
  const settings: Settings = await readSettings(io);
  const options: LoadOptions = mergedSettings(settings, flags);
  const { findSession } = await import("./sessions/find-session.ts");
  const sessions: SimulatedSession[] = [];
  for (const one of wanted.length === 0 ? [undefined] : wanted) {
    const session = await findSession(io, one, flags);
    if (session === undefined) return;
    if (svg !== undefined) await refuseInput(io, session.path, ["svg", svg]);
    const name = one ?? session.path ?? session.name;
    sessions.push(await simulated(io, name, await session.load(), options));
  }
  const prices = settings.prices ?? {};
  if (svg !== undefined) {
    await writeFileAtomically(path.resolve(io.cwd, svg), simulationSvg(sessions));
  }
  tell(io, flags, simulationJson(sessions, prices), () =>
    simulationView(io, sessions, { prices, svg }),
  );
}

async function simulated(
  io: Io,
  name: string,
  input: TranscriptInput,
  options: LoadOptions,
): Promise<SimulatedSession> {
  const loaded = await loadConversation(io, input, options);
  const { messages, warnings } = await historyOf(input, loaded, options);
  const { conversation, transcript } = loaded;
  const chosen = chooseWindow(options.window, conversation);
  const measuring = measureOptions(options, chosen, transcript.format);
  const { size, settings } = measureSession(conversation, measuring);
  const { budget, factor } = size;
  const meter = scaledMeter(createMessageMeter(estimator), factor);
  const { cwd, instructions = "" } = conversation;
  const fixed = (settings.fixedTokens ?? 0) * factor + estimator.count(instructions) * factor;
  const context = { ...settings, window: budget.window, cwd };
  const setting: Setting = { budget, sizeOf: (list) => meter.total(list), fixed, context };
  const requests = requestsOf(messages, (one) => meter.tokens(one));
  const policies = policiesFor(transcript.format);
  const progress = startProgress(io, options.json === true);
  try {
    const outcomes = [];
    for (const [done, policy] of policies.entries()) {
      progress.update(`Playing ${policy.name}`, done, policies.length);
      outcomes.push(await simulate({ messages, requests, cwd }, policy, setting, CACHE_RULES));
    }
    const does = policies.map((policy) => ({ name: policy.name, does: policy.does }));
    const all = [...loaded.warnings, ...warnings, ...windowWarnings(chosen)];
    const tokens = fixed + meter.total(messages);
    return { name, loaded, tokens, budget, policies: does, outcomes, warnings: all };
  } finally {
    progress.stop();
  }
}

/** All that was said, also what the agent itself compacted since, where its file still has that. */
async function historyOf(
  input: TranscriptInput,
  { transcript, conversation }: Loaded,
  { limit, nth }: LoadOptions,
): Promise<{ readonly messages: readonly Message[]; readonly warnings: readonly string[] }> {
  const { compactions, format } = transcript;
  const isKept = format === "claude-code" || format === "codex";
  if (compactions > 0 && isKept && nth === undefined) {
    const { stretches } = await readSessionHistory(input, { format, limits: limit });
    return { messages: repaired(stretches.flat()), warnings: [] };
  }
  const warnings =
    compactions === 0
      ? []
      : [
          `the agent compacted ${plural(compactions, "time")}: what stood before the last one is not played`,
        ];
  return { messages: repaired(conversation.messages), warnings };
}

function repaired(messages: readonly Message[]): readonly Message[] {
  return repairMessages(plainMessages(messages)).messages;
}
