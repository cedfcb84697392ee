import type { Command } from "commander";
import { archiveFolder } from "../archive/home.ts";
import { type Gateway, startGateway } from "../gateway/server.ts";
import type { LogEntry } from "../gateway/log.ts";
import { type CommonOptions, type Io, talk } from "./io.ts";
import { tokensOption, wholeOption } from "./options.ts";

interface GatewayFlags extends CommonOptions {
  readonly host?: string;
  readonly port?: number;
  readonly anthropic?: string;
  readonly openai?: string;
  readonly window?: number;
  readonly archive?: string;
  readonly audit?: boolean;
  readonly verbose?: boolean;
}

/** `longhaul gateway`: the engine between any client and its provider. */
export function defineGateway(command: Command, io: Io): void {
  command
    .description(
      "Stands between any client and its model provider and keeps the client's conversations inside the window: Anthropic Messages, OpenAI Chat Completions and Responses. Clients take the printed address as their base URL (OpenAI clients with /v1 behind it) and keep their own keys.",
    )
    .option("--host <address>", "where to listen (default: 127.0.0.1)")
    .option("--port <number>", "the port, 0 for any that is free (default: 4141)", wholeOption)
    .option("--anthropic <url>", "where Anthropic requests go (default: https://api.anthropic.com)")
    .option("--openai <url>", "where OpenAI requests go (default: https://api.openai.com/v1)")
    .option("--window <tokens>", "the window of all models (default: by their names)", tokensOption)
    .option("--archive <folder>", "where originals go (default: the archive of longhaul)")
    .option("--audit", "only tell what would be edited, and edit nothing")
    .option("--verbose", "a line on stderr for every request")
    .option("--json", "the address and the log as JSON, one object a line")
    .addHelpText("after", EXAMPLES)
    .action((flags: GatewayFlags) => gatewayCommand(io, flags));
}

const EXAMPLES = `
Examples:
  longhaul gateway                              then, in another terminal:
  ANTHROPIC_BASE_URL=http://127.0.0.1:4141 claude
  OPENAI_BASE_URL=http://127.0.0.1:4141/v1 my-agent
  longhaul gateway --audit --verbose            see what it would do
  longhaul gateway --openai http://127.0.0.1:11434/v1 --window 32k
  curl http://127.0.0.1:4141/metrics`;

async function gatewayCommand(io: Io, flags: GatewayFlags): Promise<void> {
  const { json = false, verbose = false, archive, ...options } = flags;
  const gateway = await startGateway({
    ...options,
    archive: archive ?? archiveFolder(io.env),
    token: io.env["LONGHAUL_GATEWAY_TOKEN"],
    log: (entry) => logTo(io, entry, { json, verbose }),
  });
  const address = { version: 1, url: gateway.url, pid: process.pid };
  io.stdout.write(json ? `${JSON.stringify(address)}\n` : `longhaul gateway on ${gateway.url}\n`);
  await stopped(io, gateway);
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
