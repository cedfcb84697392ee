import type { ContextOptions } from "../../context/index.ts";
import { memoryArchive } from "../../archive/memory.ts";
import { type Fields, fieldsOf } from "../../core/text/json.ts";
import { bindsReasoning } from "../../hooks/anthropic/wire.ts";
import { recallForms } from "../../hooks/tools.ts";
import { text } from "../../transcripts/lenient.ts";
import type { HookLimits } from "../hook-options.ts";
import { pluginContext } from "../plugin-settings.ts";
import { createLog } from "../inside/log.ts";
import type { Latest, Session } from "../inside/session.ts";
import { createSessions } from "../inside/sessions.ts";
import { windowText } from "../inside/window-text.ts";
import type { OpencodeMessage } from "./encode.ts";
import { opencodeFormat } from "./format.ts";
import type {
  OpencodeEvent,
  OpencodeHooks,
  OpencodeInput,
  OpencodeTool,
  ToolCall,
  ToolOutput,
} from "./host.ts";
import { storedList } from "./stored.ts";
import { createModels, type Models } from "./models.ts";
import { type Compactions, createCompactions } from "./compactions.ts";

type Inside = Session<OpencodeMessage>;

const WINDOW = {
  description: "Shows what fills the window",
  template: "What fills the window?",
} as const;

/**
 * The plugin of opencode: every request stays inside the window, large outputs are truncated on
 * arrival, and what left the window is in the archive, where the tools `recall` and `search_archive`
 * find it. A compaction of opencode itself gets a summary of recorded facts. A failure in here
 * is a line in `plugins.log` of the state folder, and opencode goes on as without it.
 */
export async function longhaulOpencode(
  input: OpencodeInput,
  limits: HookLimits = {},
): Promise<OpencodeHooks> {
  const log = createLog(process.env, "opencode");
  const place = { env: process.env, cwd: input.directory ?? process.cwd() };
  const settings = await pluginContext(place, log);
  const requests = createRequests(input, { settings, limits }, log);
  const { models, compactions, tools, instructions, known, find } = requests;
  return guarded(log, {
    async config(config) {
      models.configure(config);
      config.command = { window: WINDOW, ...config.command };
    },
    async event({ event }) {
      await learn(event, find);
      if (event.type === "message.updated")
        await compactions.stored(fieldsOf(event.properties?.["info"]));
    },
    tool: recallTools(known),
    async "tool.definition"({ toolID }, { description, parameters }) {
      // Schemas of a library have no size that says anything.
      const isJson = typeof fieldsOf(parameters)["type"] === "string";
      tools.set(toolID, { name: toolID, description, ...(isJson && { parameters }) });
    },
    "tool.execute.after": (call, output) => truncate(known(call.sessionID), call, output),
    "chat.params": async ({ model }) => models.note(model),
    async "command.execute.before"({ command, sessionID }, { parts }) {
      if (command !== "window") return;
      // A process that has sent nothing yet looks at what it would send.
      if (find(sessionID)?.latest() === undefined) {
        await requests.send([...(await storedList(input, sessionID))]);
      }
      tellWindow(parts, find(sessionID)?.latest());
    },
    async "experimental.chat.system.transform"({ sessionID }, { system }) {
      if (sessionID !== undefined) instructions.set(sessionID, system.join("\n"));
    },
    "experimental.chat.messages.transform": (_, { messages }) => requests.send(messages),
    "experimental.session.compacting": async ({ sessionID }, asked) =>
      compactions.begin(sessionID, asked),
    async "experimental.text.complete"({ sessionID, messageID }, output) {
      output.text = compactions.said(sessionID, messageID) ?? output.text;
    },
  });
}

/** A hook that rejects would end the run: each is a line in the log, and opencode goes on. */
function guarded(log: (line: string) => void, hooks: OpencodeHooks): OpencodeHooks {
  const entries = Object.entries(hooks).map(([name, hook]: [string, unknown]) => {
    if (typeof hook !== "function") return [name, hook];
    const safe = async (...given: unknown[]): Promise<void> => {
      try {
        await (hook as (...all: unknown[]) => Promise<void>)(...given);
      } catch (error) {
        log(`${name}: ${String(error)}`);
      }
    };
    return [name, safe];
  });
  return Object.fromEntries(entries) as OpencodeHooks;
}

/** Things that all requests of a process share. */
interface Requests {
  readonly models: Models;
  readonly compactions: Compactions;
  /** By name, as far as they were told. */
  readonly tools: Map<string, unknown>;
  /** The system prompt of each session. */
  readonly instructions: Map<string, string>;
  /** Changes a list in place before opencode makes a request of it. */
  send(messages: OpencodeMessage[]): Promise<void>;
  readonly find: (id: string) => Inside | undefined;
  /** A session that has sent nothing in this process has no model yet. */
  readonly known: (id: string) => Inside;
}

function createRequests(
  input: OpencodeInput,
  own: { readonly settings: ContextOptions; readonly limits: HookLimits },
  log: (line: string) => void,
): Requests {
  const { env } = process;
  const sessions = createSessions({ format: opencodeFormat, env, ...own, log });
  const models = createModels(input);
  const compactions = createCompactions(input, log);
  const tools = new Map<string, unknown>();
  const instructions = new Map<string, string>();
  return {
    models,
    compactions,
    tools,
    instructions,
    async send(messages) {
      const id = sessionId(messages);
      if (id === undefined) return;
      const { providerID, modelID } = modelNamed(messages);
      const session = sessions.of(id, await models.of(providerID, modelID));
      if (compactions.takesHead(id)) return compactions.summarize(messages, session);
      await compactions.goOn(id, messages);
      const sent = await session.prepare(messages, {
        instructions: instructions.get(id),
        tools: [...tools.values()],
        boundReasoning: /claude/i.test(modelID) && bindsReasoning({ model: modelID, messages: [] }),
      });
      // opencode goes on with its own list.
      if (sent !== messages) messages.splice(0, messages.length, ...sent);
    },
    find: (id) => sessions.find(id),
    known: (id) => sessions.find(id) ?? sessions.of(id, {}),
  };
}

/** A provider refused a request because it was too long, and may have said how long it may be. */
async function learn(
  { type, properties = {} }: OpencodeEvent,
  find: Requests["find"],
): Promise<void> {
  const { sessionID, error } = properties;
  const { name, data } = fieldsOf(error);
  if (type !== "session.error" || name !== "ContextOverflowError") return;
  const { message, responseBody } = fieldsOf(data);
  await find(String(sessionID))?.learn(new Error(text(responseBody) ?? text(message) ?? ""));
}

/** A command of opencode is a prompt: the model is asked to say what it is told. */
function tellWindow(parts: Fields[], latest: Latest | undefined): void {
  const told = latest === undefined ? "Nothing was sent yet." : windowText(latest);
  const said = `Repeat this as it is, in a code block:\n\n${told}`;
  parts.splice(0, parts.length, { type: "text", text: said });
}

function sessionId(list: readonly OpencodeMessage[]): string | undefined {
  return text(fieldsOf(list[0]?.info)["sessionID"]);
}

/** The model that the newest message is for, or from. */
function modelNamed(list: readonly OpencodeMessage[]): { providerID: string; modelID: string } {
  const named = list.map(({ info }) => (info["role"] === "user" ? fieldsOf(info["model"]) : info));
  const { providerID, modelID } = named.findLast(({ modelID: id }) => id !== undefined) ?? {};
  return { providerID: String(providerID), modelID: String(modelID) };
}

async function truncate(session: Inside, call: ToolCall, output: ToolOutput): Promise<void> {
  const meta = { toolName: call.tool, input: call.args };
  if (Array.isArray(output.content)) output.content = await session.truncate(output.content, meta);
  if (typeof output.output === "string")
    output.output = await session.truncate(output.output, meta);
}

function recallTools(sessionOf: (id: string) => Inside): Readonly<Record<string, OpencodeTool>> {
  // Their names and schemas are the same whatever the archive.
  const forms = recallForms(memoryArchive());
  return Object.fromEntries(
    forms.map(({ name, description, schema }): [string, OpencodeTool] => [
      name,
      {
        description,
        args: schema.properties,
        async execute(input, { sessionID }) {
          const own = recallForms(sessionOf(sessionID).archive).find((one) => one.name === name);
          return (await own?.execute(input)) ?? "";
        },
      },
    ]),
  );
}
