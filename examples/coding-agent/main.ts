// A small coding agent on the AI SDK and longhaul/ai-sdk; README.md says how to run it.
import { once } from "node:events";
import { statSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline/promises";
import { CommanderError } from "commander";
import { type LivePage, openPage } from "longhaul/page";
import { directoryArchive } from "longhaul/archive/directory";
import { type AgentOptions, type Outcome, runAgent } from "./agent.ts";
import { type History, isAnswered, openHistory } from "./history.ts";
import { modelFrom } from "./model.ts";
import { type AgentArguments, readArguments } from "./options.ts";
import { chooseSession, holdSession, type SessionFiles, stateFolder } from "./session.ts";
import { createView } from "./view.ts";

const OFFLINE_WINDOW = 16_000;
/** So that a person can follow: about a minute for the whole task. */
const OFFLINE_DELAY_MS = 400;

const NO_TASK = 'There is nothing to do: give a task, such as npm run agent -- "Fix the test".';

const { stdout, stderr, env } = process;

// A reader that closes the pipe early (`| head`) is no error.
stdout.on("error", () => process.exit(0));
process.exitCode = await main(process.argv.slice(2));

/** Exit codes: 0 done, 1 not done, 2 wrong usage, 130 stopped by Ctrl-C. */
async function main(argv: readonly string[]): Promise<number> {
  const stop = new AbortController();
  process.once("SIGINT", () => stop.abort());
  try {
    const given = readArguments(argv);
    const home = stateFolder(env);
    const files = chooseSession(home, given);
    const settings = await (given.offline === true
      ? offlineSettings(given, files)
      : liveSettings(given));
    const release = holdSession(files);
    const history = openHistory(files.history);
    const steps = history.messages.filter(({ role }) => role === "assistant").length;
    const view = createView(stdout, env, steps + 1);
    const archive = directoryArchive(path.join(home, "archive"));
    const own = archive.conversation?.(files.name) ?? archive;
    const page = given.web === true ? await openPage({ archive: own }) : undefined;
    if (page !== undefined) view.line(`Page ${page.url}\n`);
    const options: AgentOptions = {
      ...settings,
      ...(page && { page }),
      session: files.name,
      archive,
      history,
      view,
      signal: stop.signal,
    };
    const outcome = await work(given, files, options).finally(release);
    if (page !== undefined) await seen(page, stop.signal);
    if (given.json === true) view.line(JSON.stringify(outcome));
    return stop.signal.aborted ? 130 : outcome.finished ? 0 : 1;
  } catch (error) {
    // Commander has said it.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  }
}

/** On a terminal the page stays until Ctrl-C. */
async function seen(page: LivePage, signal: AbortSignal): Promise<void> {
  if (stdout.isTTY && !signal.aborted) {
    stdout.write("\nThe page stays until you press Ctrl-C.\n");
    await once(signal, "abort");
  }
  page.close();
}

type Settings = Pick<AgentOptions, "model" | "window" | "folder" | "writesSummaries">;

async function offlineSettings(
  { window = OFFLINE_WINDOW }: AgentArguments,
  files: SessionFiles,
): Promise<Settings> {
  const { offlineModel } = await import("./offline/model.ts");
  const delayMs = stdout.isTTY ? OFFLINE_DELAY_MS : 0;
  const model = offlineModel({ window, delayMs });
  return { model, window, folder: files.project, writesSummaries: false };
}

async function liveSettings({ window, folder = "" }: AgentArguments): Promise<Settings> {
  // npm changes into the package's folder before it runs a script.
  const from = path.resolve(env["INIT_CWD"] ?? process.cwd(), folder);
  if (!statSync(from, { throwIfNoEntry: false })?.isDirectory()) {
    throw new Error(`There is no folder ${from} to work in.`);
  }
  return { model: await modelFrom(env), window, folder: from, writesSummaries: true };
}

/** One task after the other, as long as the person at the terminal has one. */
async function work(
  given: AgentArguments,
  files: SessionFiles,
  options: AgentOptions,
): Promise<Outcome> {
  const { history, view, signal } = options;
  view.line(greeting(options));
  const canAsk = given.offline !== true && process.stdin.isTTY && stdout.isTTY;
  let task =
    given.offline === true ? await offlineTask(files, history) : given.task?.trim() || undefined;
  if (task === undefined && isAnswered(history) && canAsk) task = await ask();
  if (task === undefined && history.messages.length === 0) throw new Error(NO_TASK);
  for (;;) {
    if (task !== undefined) {
      history.add({ messages: [{ role: "user", content: task }], truncations: 0, rejected: 0 });
      for (const line of task.split("\n")) view.line(`  > ${line}`);
      view.line("");
    }
    const outcome = await runAgent(options);
    for (const line of ending(outcome, given, options)) view.line(line);
    task = canAsk && !signal.aborted && given.task === undefined ? await ask() : undefined;
    if (task === undefined) return outcome;
  }
}

/** The task for a new session, with the project that it is about; one that was begun has it. */
async function offlineTask(
  { project }: SessionFiles,
  { messages }: History,
): Promise<string | undefined> {
  if (messages.length > 0) return undefined;
  const { createProject } = await import("./offline/project.ts");
  const { OFFLINE_TASK } = await import("./offline/task.ts");
  await createProject(project);
  return OFFLINE_TASK;
}

/** What the person wants next; `undefined` for nothing more. */
async function ask(): Promise<string | undefined> {
  const terminal = createInterface({ input: process.stdin, output: stdout });
  const text = await terminal.question("\nTask (empty to end): ").catch(() => "");
  terminal.close();
  return text.trim() === "" ? undefined : text;
}

function greeting({ model, session, folder, history }: AgentOptions): string {
  const begun = history.messages.length > 0 ? ", going on" : "";
  return [
    `Model ${model.provider} ${model.modelId}, in ${folder}`,
    `Session ${session}${begun}`,
    "Left: step, tokens in the context, of the tokens that are usable.\n",
  ].join("\n");
}

function ending(outcome: Outcome, given: AgentArguments, options: AgentOptions): string[] {
  const { steps, truncations, prunes, compactions, rejected, finished, answer } = outcome;
  const again = `npm run agent -- ${againWith(given, options).join(" ")}`;
  return [
    ...(finished ? ["", answer] : []),
    "",
    `${steps} steps; ${truncations} outputs truncated, ${prunes} prunes, ${compactions} compactions; ${rejected} requests refused.`,
    ...(finished ? [] : [`It is not done. Go on with: ${again}`]),
  ];
}

/** The options that go on with this session, for a shell. */
function againWith({ offline, window }: AgentArguments, options: AgentOptions): string[] {
  const { folder, session } = options;
  return [
    ...(offline === true
      ? ["--offline"]
      : ["--folder", `'${folder.replaceAll("'", String.raw`'\''`)}'`]),
    ...(window === undefined ? [] : ["--window", String(window)]),
    "--session",
    session,
  ];
}
