import { spawn } from "node:child_process";
import { constants } from "node:os";
import type { Command } from "commander";
import { archiveFolder } from "../archive/home.ts";
import { wrongUse } from "../core/error.ts";
import { type Gateway, startGateway } from "../gateway/server.ts";
import { ownRetention, readSettings } from "../settings/settings.ts";
import { plural } from "../core/text/figures.ts";
import { type Io, type SetExitCode, talk } from "./io.ts";
import { pricesOfNow } from "./money/spent.ts";
import { tokensOption } from "./options.ts";
import { programOf, settingsOf } from "./wrap-clients.ts";
import type { ChildSettings, GatewayAddress } from "./wrap-copies.ts";
import { programCall } from "./program-call.ts";

interface WrapFlags {
  readonly anthropic?: string;
  readonly openai?: string;
  readonly provider?: string;
  readonly gateway?: string;
  readonly window?: number;
  readonly archive?: string;
  readonly audit?: boolean;
}

/** `longhaul wrap CLIENT -- ARGS…`: one client behind a gateway of its own. */
export function define(command: Command, io: Io, setExitCode: SetExitCode): void {
  command
    .description(
      "Runs one coding agent behind a gateway of its own, which ends with it. The agent is told by its environment, its arguments or a copy of its settings; none of its files is changed. Any other program gets ANTHROPIC_BASE_URL and OPENAI_BASE_URL. The exit code is that of the agent.",
    )
    .argument("<client>", "claude, codex, opencode, pi, cline, continue, qwen, or any program")
    .argument("[args...]", "after --, what the client is to get")
    .option("--anthropic <url>", "where Anthropic requests go (default: $ANTHROPIC_BASE_URL)")
    .option("--openai <url>", "where OpenAI requests go (default: $OPENAI_BASE_URL)")
    .option("--provider <name>", "the provider of the client's own settings that goes there")
    .option("--gateway <url>", "a gateway that runs already, in place of one of its own")
    .option("--window <tokens>", "the window of all models (default: by their names)", tokensOption)
    .option(
      "--archive <place>",
      "where originals go: a folder, postgres://… or s3://… (default: the archive of longhaul)",
    )
    .option("--audit", "only tell what would be edited, and edit nothing")
    .passThroughOptions()
    .addHelpText("after", EXAMPLES)
    .action(async (client: string, args: readonly string[], flags: WrapFlags) => {
      const own = args[0] === "--" ? args.slice(1) : args;
      setExitCode(await wrapCommand(io, { client, args: own, flags }));
    });
}

const EXAMPLES = `
Examples:
  longhaul wrap claude
  longhaul wrap codex -- exec "go through all modules"
  longhaul wrap --window 200k opencode -- run "fix the build"
  longhaul wrap --provider work --openai https://llm.example.com/v1 pi
  longhaul wrap --audit claude          tell at the end what it would have saved`;

interface Wrapped {
  readonly client: string;
  readonly args: readonly string[];
  readonly flags: WrapFlags;
}

async function wrapCommand(io: Io, { client, args, flags }: Wrapped): Promise<number> {
  const gateway = flags.gateway === undefined ? await ownGateway(io, flags) : undefined;
  const url = gateway?.url ?? (await runningGateway(flags.gateway ?? ""));
  const { provider } = flags;
  const isAnthropic = flags.anthropic !== undefined;
  const address: GatewayAddress = { url, isAnthropic, provider };
  let settings: ChildSettings | undefined;
  let ended: Ended | undefined;
  try {
    settings = settingsOf(client, address, io);
    ended = await runChild(io, { program: programOf(client), args, settings });
    return ended.code;
  } finally {
    settings?.cleanUp();
    gateway?.abort();
    await gateway?.close();
    // A run that never began has nothing to tell.
    if (gateway !== undefined && ended?.hasRun === true) {
      talk(io, `longhaul: ${summaryOf(gateway, flags.audit === true)}`);
    }
  }
}

interface Ended {
  readonly code: number;
  readonly hasRun: boolean;
}

/** On a port that nobody can have taken before, so that no key goes to a stranger. */
async function ownGateway(
  io: Io,
  { anthropic, openai, window, archive, audit }: WrapFlags,
): Promise<Gateway> {
  const { env } = io;
  const { prices } = await readSettings(io);
  const own = {
    priceOf: pricesOfNow(prices),
    anthropic: anthropic ?? named(env["ANTHROPIC_BASE_URL"]),
    openai: openai ?? named(env["OPENAI_BASE_URL"]),
    archive: archive ?? archiveFolder(env),
    retention: () => ownRetention(env),
  };
  return startGateway({
    ...own,
    port: 0,
    window,
    audit,
  });
}

function named(text: string | undefined): string | undefined {
  return text === "" ? undefined : text;
}

async function runningGateway(given: string): Promise<string> {
  const url = given.replace(/\/+$/, "");
  const health = await fetch(`${url}/healthz`)
    .then((answer) => answer.json() as Promise<{ readonly name?: unknown }>)
    .catch(() => undefined);
  if (health?.name === "longhaul") return url;
  throw wrongUse(
    `No gateway of longhaul answers at ${given}; start one with longhaul gateway, or leave --gateway out.`,
    { option: "gateway", value: given },
  );
}

interface Child {
  readonly program: string;
  readonly args: readonly string[];
  readonly settings: ChildSettings;
}

/** A shell's answer for a program that is not there. */
const NOT_FOUND = 127;
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

function runChild(io: Io, { program, args, settings }: Child): Promise<Ended> {
  return new Promise((resolve) => {
    const call = programCall(program, [...settings.args, ...args]);
    const child = spawn(call.file, call.args, {
      ...call.options,
      cwd: io.cwd,
      env: { ...io.env, ...settings.env },
      stdio: "inherit",
    });
    // A terminal sends Ctrl-C to both; what it means is for the client to say.
    const passOn = (signal: NodeJS.Signals): void => {
      if (signal !== "SIGINT") child.kill(signal);
    };
    for (const signal of SIGNALS) process.on(signal, passOn);
    const end = (code: number, hasRun = true): void => {
      for (const signal of SIGNALS) process.removeListener(signal, passOn);
      resolve({ code, hasRun });
    };
    child.once("error", (error: NodeJS.ErrnoException) => {
      const why = error.code === "ENOENT" ? "there is no such program on the path" : error.message;
      talk(io, `longhaul: ${program} could not be started: ${why}.`);
      end(NOT_FOUND, false);
    });
    child.once("close", (code, signal) => {
      end(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
    });
  });
}

function summaryOf({ metrics }: Gateway, isAudit: boolean): string {
  const { counted } = metrics;
  if (counted("requests") === 0) {
    return "no request came through the gateway. Where the client's settings name a provider with an address of its own, say --provider NAME and where that is (--openai URL or --anthropic URL).";
  }
  const saved = `${counted("saved_tokens").toLocaleString("en")} input tokens`;
  const edits = plural(counted("planned_edits"), "edit");
  const cut = plural(counted("truncated"), "tool output");
  const would = isAudit ? "would have left out" : "left out";
  const dollars = metrics.savedDollars();
  const amount = `${dollars < 0 ? "-" : ""}$${Math.abs(dollars).toFixed(2)}`;
  const money = Math.abs(dollars) < 0.005 ? "" : ` (${amount} at list prices, caches reckoned)`;
  const changed = counted("prefix_violations");
  const broken = changed === 0 ? "" : ` ${plural(changed, "prefix violation")}: please report it.`;
  return `${plural(counted("requests"), "request")}, ${edits}, ${cut} cut; ${would} ${saved}${money}.${broken}`;
}
