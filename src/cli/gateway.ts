import { type Command, Option } from "commander";
import { everyConversation } from "../archive/every-conversation.ts";
import { archiveFolder } from "../archive/home.ts";
import { ContextError } from "../core/error.ts";
import { type Gateway, startGateway } from "../gateway/server.ts";
import { gatewayOptionsIn } from "../gateway/configure.ts";
import {
  COMPACTION_WAYS,
  type CompactionWay,
  EPOCH_TIMES,
  type EpochTime,
  type GatewayOptions,
  type GatewayWatch,
  type LogEntry,
  type RecallWay,
  WAYS,
} from "../gateway/options.ts";
import { ownRetention, readSettings } from "../settings/settings.ts";
import { type CommonOptions, type Io, printLines, talk } from "./io.ts";
import { pricesOfNow } from "./money/spent.ts";
import { tokensOption, wholeOption } from "./options.ts";

interface GatewayFlags extends CommonOptions {
  readonly host?: string;
  readonly port?: number;
  readonly anthropic?: string;
  readonly openai?: string;
  readonly window?: number;
  readonly archive?: string;
  readonly recall?: RecallWay;
  readonly compaction?: CompactionWay;
  readonly epochs?: EpochTime;
  readonly audit?: boolean;
  readonly verbose?: boolean;
  readonly web?: boolean;
}

/** `longhaul gateway`: the engine between any client and its provider. */
export function define(command: Command, io: Io): void {
  command
    .description(
      "Stands between any client and its model provider and keeps the client's conversations inside the window: Anthropic Messages, OpenAI Chat Completions and Responses. Clients take the printed address as their base URL (OpenAI clients with /v1 behind it) and keep their own keys.",
    )
    .addOption(named("--host <address>", "where to listen (default: 127.0.0.1)"))
    .addOption(
      named("--port <number>", "the port, 0 for any that is free (default: 4141)").argParser(
        wholeOption,
      ),
    )
    .addOption(
      named(
        "--anthropic <url>",
        "where Anthropic requests go (default: https://api.anthropic.com)",
      ),
    )
    .addOption(
      named("--openai <url>", "where OpenAI requests go (default: https://api.openai.com/v1)"),
    )
    .addOption(
      named("--window <tokens>", "the window of all models (default: by their names)").argParser(
        tokensOption,
      ),
    )
    .addOption(
      named(
        "--archive <place>",
        "where originals go: a folder, postgres://… or s3://… (default: the archive of longhaul)",
      ),
    )
    .addOption(
      named(
        "--recall <way>",
        "how a model gets back what left: file (its agent opens it), tool (put into its requests), none (default: file; tool where other machines can ask)",
      ).choices(WAYS),
    )
    .addOption(
      named(
        "--compaction <way>",
        "a client's own compaction: pass (a model writes it), answer (it gets the recorded facts at once) (default: pass)",
      ).choices(COMPACTION_WAYS),
    )
    .addOption(
      named(
        "--epochs <when>",
        "when old outputs are pruned: full (the window), cold (also when the cache has gone cold, which costs nothing), gain (also when prices say it pays) (default: cold)",
      ).choices(EPOCH_TIMES),
    )
    .addOption(named("--audit", "only tell what would be edited, and edit nothing"))
    .option("--web", "show the conversations as a page at /, with a token of its own")
    .option("--verbose", "a line on stderr for every request")
    .option("--json", "the address and the log as JSON, one object a line")
    .addHelpText("after", EXAMPLES)
    .action((flags: GatewayFlags) => gatewayCommand(io, flags, command.parent?.version()));
}

/** An option that the environment may give, too: LONGHAUL_GATEWAY_ and its name. */
function named(flags: string, description: string): Option {
  const [, name = ""] = /^--(\w+)/.exec(flags) ?? [];
  return new Option(flags, description).env(`LONGHAUL_GATEWAY_${name.toUpperCase()}`);
}

const EXAMPLES = `
A flag wins over its variable, that over "gateway" in longhaul.json of the state
folder, where the limits stand, too. LONGHAUL_GATEWAY_TOKEN is what clients have
to send as x-longhaul-token. With OTEL_ variables, OpenTelemetry hears of edits.

Examples:
  longhaul gateway                              then, in another terminal:
  ANTHROPIC_BASE_URL=http://127.0.0.1:4141 claude
  OPENAI_BASE_URL=http://127.0.0.1:4141/v1 my-agent
  longhaul gateway --audit --verbose            see what it would do
  longhaul gateway --openai http://127.0.0.1:11434/v1 --window 32k
  curl http://127.0.0.1:4141/metrics`;

async function gatewayCommand(io: Io, flags: GatewayFlags, version?: string): Promise<void> {
  const { json = false, verbose = false, web = false, archive, ...options } = flags;
  const { gateway: settings, prices } = await readSettings(io);
  const inFile = gatewayOptionsIn(settings);
  const folder = archive ?? inFile.archive ?? archiveFolder(io.env);
  const watch = web && (await pageWatch(typeof folder === "string" ? folder : undefined));
  const gateway = await startGateway({
    ...inFile,
    ...options,
    watch: watch || undefined,
    archive: folder,
    retention: () => ownRetention(io.env),
    version,
    plugins: await telemetryIn(io.env),
    priceOf: pricesOfNow(prices),
    token: io.env["LONGHAUL_GATEWAY_TOKEN"],
    log: (entry) => logTo(io, entry, { json, verbose }),
  });
  const page = watch && `${gateway.url}/#${watch.token}`;
  const address = { version: 1, url: gateway.url, pid: process.pid, ...(page && { page }) };
  const lines = [`longhaul gateway on ${gateway.url}`, ...(page ? [`page ${page}`] : [])];
  if (json) io.stdout.write(`${JSON.stringify(address)}\n`);
  else printLines(io, lines);
  await stopped(io, gateway);
}

/** The page of what goes through; sub-agents stand under the first conversation of their session. */
export async function pageWatch(
  folder?: string,
): Promise<GatewayWatch & { readonly token: string }> {
  const [{ createLive }, { createPageHandler }, { readAssets }] = await Promise.all([
    import("../page/live.ts"),
    import("../page/serve.ts"),
    import("../page/assets.ts"),
  ]);
  const live = createLive(folder === undefined ? undefined : everyConversation(folder));
  const handler = createPageHandler(live.source, readAssets());
  const parents = new Map<string, string>();
  return {
    token: handler.token,
    answer: (request, response) => handler.answer(request, response),
    learned: (id, usage) => live.learn(id, usage),
    sent({ id, session, ...request }) {
      const parent = session === undefined ? id : (parents.get(session) ?? id);
      if (session !== undefined) parents.set(session, parent);
      live.note({ ...request, id, agent: "gateway", ...(parent !== id && { parent }) });
    },
  };
}

/** OpenTelemetry, where its variables are set; who exports is registered with `node --import`. */
async function telemetryIn(env: Io["env"]): Promise<NonNullable<GatewayOptions["plugins"]>> {
  if (!Object.keys(env).some((name) => name.startsWith("OTEL_"))) return [];
  try {
    const { telemetry } = await import("../telemetry/telemetry.ts");
    return [telemetry()];
  } catch (cause) {
    const message =
      "OTEL_ variables are set, but @opentelemetry/api is not installed; install it beside longhaul, or start without them.";
    throw new ContextError("invalid-options", message, { cause });
  }
}

/** A line for each thing that happened; requests only where they are wanted. */
function logTo(
  io: Io,
  entry: LogEntry,
  { json, verbose }: { readonly json: boolean; readonly verbose: boolean },
): void {
  if (entry.event === "request" && !verbose) return;
  const at = new Date().toISOString();
  if (json) return void io.stderr.write(`${JSON.stringify({ at, ...entry })}\n`);
  const { level: _, event, ...fields } = entry;
  const said = Object.entries(fields).map(([name, value]) => `${name}=${String(value)}`);
  talk(io, `${at} ${event} ${said.join(" ")}`);
}

const STOPS = ["SIGINT", "SIGTERM"] as const;

/** Until it is stopped: the first signal lets answers end, the second does not. */
async function stopped(io: Io, gateway: Gateway): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    let isStopping = false;
    const stop = (): void => {
      if (isStopping) return gateway.abort();
      isStopping = true;
      const left = gateway.metrics.active();
      if (left > 0) talk(io, `longhaul: ${left} answers are still under way; once more ends them.`);
      gateway.close().then(resolve, reject);
    };
    for (const signal of STOPS) process.on(signal, stop);
  });
}
