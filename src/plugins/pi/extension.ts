import { homedir } from "node:os";
import { memoryArchive } from "../../archive/memory.ts";
import { bindsReasoning } from "../../hooks/anthropic/wire.ts";
import { recallForms } from "../../hooks/tools.ts";
import { text } from "../../transcripts/lenient.ts";
import { createLog } from "../inside/log.ts";
import type { AgentModel, Session } from "../inside/session.ts";
import { createSessions } from "../inside/sessions.ts";
import type { HookLimits } from "../hook-options.ts";
import { pluginContext } from "../plugin-settings.ts";
import { windowText } from "../inside/window-text.ts";
import type { PiMessage } from "../../resume/pi-messages.ts";
import { piFormat, summaryMessage } from "./format.ts";
import type {
  PiApi,
  PiCompactEvent,
  PiContext,
  PiContextEvent,
  PiMessageEvent,
  PiToolResultEvent,
} from "./host.ts";
import { inputBeside } from "./reserve.ts";

/** The most of an answer that is kept free beside what pi keeps free itself. */
const MOST_ANSWER = 8_000;

/**
 * The extension of pi: every request stays inside the window, large outputs are truncated on arrival,
 * and what left the window is in the archive, where the tools `recall` and `search_archive` find it.
 * A compaction of pi itself gets a summary of recorded facts, without a call of a model.
 * A failure in here is a line in `plugins.log` of the state folder, and pi goes on as without it.
 */
export function longhaulPi(pi: PiApi, limits: HookLimits = {}): void {
  const { env } = process;
  const log = createLog(env, "pi");
  const opened = pluginContext({ env, cwd: process.cwd() }, log).then((settings) =>
    createSessions({ format: piFormat, env, settings, limits, log }),
  );
  const sessionOf = async (context: PiContext): Promise<Session<PiMessage>> =>
    (await opened).of(context.sessionManager.getSessionId(), modelOf(context));
  /** Answers an event; what fails is logged, and pi goes on as if nobody had answered. */
  const on = <Event>(
    name: string,
    answer: (event: Event, session: Session<PiMessage>, context: PiContext) => Promise<unknown>,
  ): void => {
    pi.on(name, async (event: Event, context) => {
      try {
        return await answer(event, await sessionOf(context), context);
      } catch (error) {
        log(`${name}: ${String(error)}`);
        return undefined;
      }
    });
  };
  const prepared = (
    list: readonly PiMessage[],
    session: Session<PiMessage>,
    context: PiContext,
  ): Promise<readonly PiMessage[]> => session.prepare(list, beside(pi, context));

  on("context", async ({ messages }: PiContextEvent, session, context) => {
    const sent = await prepared(messages, session, context);
    return sent === messages ? undefined : { messages: sent };
  });
  on("tool_result", async ({ content, toolName, input }: PiToolResultEvent, session) => {
    const kept = await session.truncate(content, { toolName, input });
    return kept === content ? undefined : { content: kept };
  });
  on("message_end", async ({ message }: PiMessageEvent, session) => {
    const error = message["stopReason"] === "error" ? text(message["errorMessage"]) : undefined;
    if (error !== undefined) await session.learn(new Error(error));
  });
  on("session_before_compact", async ({ preparation }: PiCompactEvent, session) => {
    const { firstKeptEntryId, tokensBefore } = preparation;
    const summary = await session.summarize(headOf(preparation));
    return summary && { compaction: { summary, firstKeptEntryId, tokensBefore } };
  });
  registerRecall(pi, sessionOf);
  pi.registerCommand("window", {
    description: "Shows what fills the window",
    async handler(_, context) {
      const session = await sessionOf(context);
      const list = context.sessionManager.buildSessionContext?.().messages ?? [];
      if (session.latest() === undefined) await prepared(list, session, context);
      const latest = session.latest();
      tell(context, latest === undefined ? "Nothing was sent yet." : windowText(latest));
    },
  });
}

/** Beside the screen there is only the output. */
function tell({ hasUI, ui }: PiContext, what: string): void {
  if (hasUI) ui.notify(what, "info");
  else process.stdout.write(`${what}\n`);
}

function modelOf({ model, cwd }: PiContext): AgentModel {
  if (model === undefined) return {};
  const { id, contextWindow: window = 0, maxTokens = MOST_ANSWER } = model;
  if (window <= 0) return { id };
  const place = { env: process.env, home: homedir(), cwd };
  const most = inputBeside(place, { window, maxOutput: Math.min(maxTokens, MOST_ANSWER) });
  return { id, window, usable: most };
}

/** The part of a request beside the messages. */
function beside(
  pi: PiApi,
  { model, getSystemPrompt }: PiContext,
): Parameters<Session<PiMessage>["prepare"]>[1] {
  const active = new Set(pi.getActiveTools());
  const tools = pi.getAllTools().filter(({ name }) => active.has(name));
  const isClaude = /claude/i.test(model?.id ?? "");
  return {
    instructions: getSystemPrompt?.(),
    tools: tools.map(({ name, description, parameters }) => ({ name, description, parameters })),
    maxOutput: model?.maxTokens,
    boundReasoning: isClaude && bindsReasoning({ model: model?.id, messages: [] }),
  };
}

/** The messages that pi would summarize: its earlier summary stands apart from the messages. */
function headOf({
  previousSummary,
  messagesToSummarize = [],
  turnPrefixMessages = [],
}: PiCompactEvent["preparation"]): readonly PiMessage[] {
  const before = previousSummary === undefined ? [] : [summaryMessage(previousSummary)];
  return [...before, ...messagesToSummarize, ...turnPrefixMessages];
}

/** The properties that a model must give: others may be left out, and pi checks that these are there. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  recall: ["handle"],
  search_archive: ["pattern"],
};

function registerRecall(
  pi: PiApi,
  sessionOf: (context: PiContext) => Promise<Session<PiMessage>>,
): void {
  // Their names and schemas are the same whatever the archive.
  for (const { name, description, schema } of recallForms(memoryArchive())) {
    pi.registerTool({
      name,
      label: name,
      description,
      parameters: { ...schema, required: NEEDED[name] ?? [] },
      async execute(...[, input, , , context]) {
        const { archive } = await sessionOf(context);
        const form = recallForms(archive).find((one) => one.name === name);
        const { text: said = "", images = [] } = (await form?.recall(input)) ?? {};
        const shown = images.map(({ mediaType: mimeType, data }) => ({
          type: "image" as const,
          mimeType,
          data,
        }));
        return { content: [{ type: "text", text: said }, ...shown], details: {} };
      },
    });
  }
}
