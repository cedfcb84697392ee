import { generateText, type ModelMessage, stepCountIs, type StepResult, type ToolSet } from "ai";
import { type Archive, contextBudget, type JournalRecord } from "longhaul";
import { aiSdkContext, type AiSdkContext } from "longhaul/ai-sdk";
import type { LivePage } from "longhaul/page";
import { type History, isAnswered } from "./history.ts";
import type { Model } from "./offline/types.ts";
import { taskTool } from "./sub-agent.ts";
import { changeTools, lookTools } from "./tools.ts";
import type { View } from "./view.ts";
import { type Shown, watchedModel, watchContext, type Watch } from "./watch.ts";

export interface AgentOptions {
  readonly model: Model;
  /** In tokens; without one, that of the model's family. */
  readonly window: number | undefined;
  /** What the agent works on. */
  readonly folder: string;
  /** The name of the session, under which the archive keeps its journal and its originals. */
  readonly session: string;
  readonly archive: Archive;
  readonly history: History;
  readonly view: View;
  /** Where the requests are shown, beside the terminal. */
  readonly page?: Pick<LivePage, "note">;
  readonly signal: AbortSignal;
  /** Whether the model writes the summaries, too. */
  readonly writesSummaries: boolean;
}

/** What became of a run; the figures are those of the whole session. */
export interface Outcome {
  readonly steps: number;
  readonly truncations: number;
  readonly prunes: number;
  readonly compactions: number;
  readonly rejected: number;
  readonly finished: boolean;
  readonly answer: string;
}

const MOST_STEPS = 1_000;

const SYSTEM = `You are a careful programmer. Read before you write, change as little as needed, and run the tests.
Work until the task is done; then say what you did in a few sentences.`;

/** Works on the history's last message until there is an answer; every step is kept at once. */
export async function runAgent(options: AgentOptions): Promise<Outcome> {
  const { history, view } = options;
  const counts = { truncations: 0, rejected: 0 };
  const watch: Watch = {
    view,
    onCut: (cut) => {
      counts.truncations += 1;
      view.truncated(cut);
    },
    onRejected: () => void (counts.rejected += 1),
  };
  const context = openContext(options);
  const shown: Shown = { id: options.session, ...sizesOf(options.window) };
  watchContext(context, watch);
  const keep = (messages: readonly ModelMessage[]): void => {
    history.add({ messages, ...counts });
    Object.assign(counts, { truncations: 0, rejected: 0 });
  };
  const end = async (answer?: string): Promise<Outcome> => outcome(history, context, answer);
  try {
    if (isAnswered(history)) return await end(lastText(history));
    const { text, finishReason } = await generateText({
      model: watchedModel(options.model, context, { ...watch, page: options.page, shown }),
      system: SYSTEM,
      tools: toolsOf(options, context, { ...watch, page: options.page, shown }),
      messages: [...history.messages],
      prepareStep: context.prepareStep,
      onStepFinish: keepSteps(keep),
      stopWhen: stepCountIs(MOST_STEPS),
      maxOutputTokens: answerTokens(options.window),
      abortSignal: options.signal,
    });
    return await end(finishReason === "stop" ? text : undefined);
  } catch (error) {
    view.failed({
      code: "stopped",
      message: error instanceof Error ? error.message : String(error),
    });
    if (counts.rejected + counts.truncations > 0) keep([]);
    return await end();
  } finally {
    await context.close();
  }
}

/** The figures of the whole session, also of what other processes did in it. */
async function outcome(
  { messages, truncations, rejected }: History,
  { archive }: AiSdkContext,
  answer: string | undefined,
): Promise<Outcome> {
  const edits = ((await archive.journal?.read()) ?? []) as readonly JournalRecord[];
  const compactions = edits.filter(({ summary }) => summary !== undefined).length;
  return {
    steps: messages.filter(({ role }) => role === "assistant").length,
    truncations,
    prunes: edits.length - compactions,
    compactions,
    rejected,
    finished: answer !== undefined,
    answer: answer ?? "",
  };
}

function lastText({ messages }: History): string {
  const content = messages.at(-1)?.content ?? "";
  if (typeof content === "string") return content;
  return content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

/** What the page says of the window. */
function sizesOf(window: number | undefined): Pick<Shown, "window" | "reserved"> {
  return { ...(window !== undefined && { window }), reserved: reservedTokens(window) };
}

/** What is kept free of the window: a quarter of a small one. */
function reservedTokens(window: number | undefined): number {
  return Math.min(16_000, Math.floor((window ?? 64_000) / 4));
}

/** The newest outputs are estimated, not counted: the answer takes not all of what is kept free. */
function answerTokens(window: number | undefined): number {
  return Math.floor(reservedTokens(window) * 0.9);
}

function openContext(options: AgentOptions): AiSdkContext {
  const { model, window, archive, session, folder } = options;
  return aiSdkContext({
    model,
    ...(window !== undefined && { window }),
    reserved: reservedTokens(window),
    // Fewer than the default: in a small window there must be something left to prune.
    recentShare: 0.33,
    archive,
    conversation: session,
    cwd: folder,
    toolLimits: { "*": { maxBytes: outputBytes(window) } },
    ...(options.writesSummaries && { summarizer: model }),
  });
}

/** A truncated output takes about a tenth of the usable window, and 50,000 bytes at most. */
function outputBytes(window: number | undefined): number {
  return Math.min(50_000, Math.floor(usableTokens(window) * 0.4));
}

function usableTokens(window: number | undefined): number {
  return contextBudget({ ...(window && { window }), reserved: reservedTokens(window) }).usable;
}

function toolsOf(options: AgentOptions, context: AiSdkContext, watch: Watch): ToolSet {
  const { folder, model, window } = options;
  const settings = {
    folder,
    archive: context.archive,
    maxBytes: outputBytes(window),
    onCut: watch.onCut,
  };
  const look = lookTools(settings);
  return context.tools({
    ...look,
    ...changeTools(settings),
    ...context.recallTools,
    task: taskTool({ model, context, tools: look, watch, maxOutputTokens: answerTokens(window) }),
  });
}

/** Version 6 of the SDK gives the messages of all steps with every step; the new ones are kept. */
function keepSteps(
  keep: (messages: readonly ModelMessage[]) => void,
): (step: StepResult<ToolSet>) => void {
  let known = 0;
  return ({ response }) => {
    keep(response.messages.slice(known));
    known = response.messages.length;
  };
}
