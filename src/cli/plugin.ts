import { homedir } from "node:os";
import path from "node:path";
import { Argument, type Command } from "commander";
import pc from "picocolors";
import { longhaulHome } from "../archive/home.ts";
import { ContextError, wrongUse } from "../core/error.ts";
import { agentPlugin, PLUGIN_AGENTS, type PluginAgent } from "../plugins/agents.ts";
import type { AgentPlugin, PluginPlace } from "../plugins/plugin.ts";
import { unbroken } from "./columns.ts";
import { type CommonOptions, type Io, printOriginal, tell } from "./io.ts";
import { numberOption } from "./options.ts";
import { type FileOutcome, plannedFiles, removePlugin, writePlugin } from "./plugin-files.ts";

interface PluginOptions extends CommonOptions {
  readonly home?: string;
  readonly dir?: string;
  readonly project?: boolean;
  readonly remove?: boolean;
  readonly dryRun?: boolean;
  readonly maxLines?: number;
  readonly maxBytes?: number;
}

/** `longhaul plugin AGENT`: Longhaul inside a coding agent, and out of it again. */
export function define(command: Command, io: Io): void {
  command
    .description(
      "Makes Longhaul part of a coding agent: large outputs are truncated as they come in, their originals can be recalled, and what must not be lost is said again after the agent's own compaction. --remove takes all of it out and leaves every file as it was.",
    )
    .addArgument(new Argument("<agent>", "which one").choices(PLUGIN_AGENTS))
    .option("--home <dir>", "write below another home folder")
    .option("--dir <dir>", "write the plugin into this folder alone, for an agent that loads one")
    .option("--max-lines <lines>", "the lines of an output that stay (default: 2000)", numberOption)
    .option(
      "--max-bytes <bytes>",
      "and their bytes, in UTF-8 (default: 50000, less in a small window)",
      numberOption,
    )
    .option("--project", "write it into this folder's project, for an agent that allows it")
    .option("--remove", "take it out again")
    .option("--dry-run", "print what would be written, and write nothing")
    .addHelpText("after", EXAMPLES)
    .action((agent: PluginAgent, options: PluginOptions) => pluginCommand(io, agent, options));
}

const EXAMPLES = `
Examples:
  longhaul plugin claude-code                       from the next start on
  longhaul plugin pi --project                      for this folder's project
  longhaul plugin claude-code --dir ./longhaul-plugin
  claude --plugin-dir ./longhaul-plugin             only for this start
  longhaul plugin claude-code --remove`;

async function pluginCommand(io: Io, agent: PluginAgent, options: PluginOptions): Promise<void> {
  const plugin = await agentPlugin(agent);
  if (options.dir !== undefined && !plugin.takesFolder) throw noFolder(plugin);
  if (options.project === true && plugin.takesProject !== true) throw noProject(plugin);
  const place = pluginPlace(io, options);
  const id = { agent, where: plugin.where(place) };
  const changes = plugin.changes(place);
  const told = { ...id, plugin, place };
  if (options.remove === true) {
    return tellPlugin(io, options, { ...told, action: "removed", files: await removed(io, id) });
  }
  if (options.dryRun !== true) {
    const files = await writePlugin(io, id, changes);
    return tellPlugin(io, options, { ...told, action: "installed", files });
  }
  const files = await plannedFiles(changes);
  if (options.json === true) return tellPlugin(io, options, { ...told, action: "planned", files });
  printOriginal(
    io,
    files.flatMap(({ path: file, text }) => [pc.bold(`--- ${file}`), text.trimEnd(), ""]),
  );
}

async function removed(
  io: Io,
  id: { readonly agent: string; readonly where: string },
): Promise<readonly FileOutcome[]> {
  const outcomes = await removePlugin(io, id);
  if (outcomes.length > 0) return outcomes;
  throw wrongUse(
    `There is no plugin of ours in ${id.where}: nothing to remove. If it was written elsewhere, name that with --home or --dir.`,
    { ...id },
  );
}

function noFolder({ title }: AgentPlugin): ContextError {
  return wrongUse(`${title} loads no plugin from a folder of your choice. Leave --dir out.`, {
    option: "dir",
  });
}

function noProject({ title }: AgentPlugin): ContextError {
  return wrongUse(`The plugin of ${title} is for all projects. Leave --project out.`, {
    option: "project",
  });
}

function pluginPlace(io: Io, options: PluginOptions): PluginPlace {
  const { home, dir, project, maxLines, maxBytes } = options;
  const { program, env, cwd } = io;
  const beside = path.dirname(program);
  return {
    home: home === undefined ? (env["HOME"] ?? homedir()) : path.resolve(cwd, home),
    env: home === undefined ? env : {},
    ...(dir !== undefined && { dir: path.resolve(cwd, dir) }),
    ...(project === true && { project: path.resolve(cwd) }),
    built: path.basename(beside) === "cli" ? path.dirname(beside) : beside,
    node: process.execPath,
    cli: program,
    hook: path.join(beside, `hook${path.extname(program)}`),
    state: longhaulHome(env),
    limits: { maxLines, maxBytes },
  };
}

interface Told {
  readonly agent: string;
  readonly plugin: AgentPlugin;
  readonly place: PluginPlace;
  readonly where: string;
  readonly action: "installed" | "planned" | "removed";
  readonly files: readonly FileOutcome[];
}

function tellPlugin(io: Io, options: PluginOptions, told: Told): void {
  const { agent, plugin, place, where, action, files } = told;
  const next = action === "removed" ? [] : [...plugin.next(place), ...fleeting(place)];
  const plain = files.map(({ path: file, outcome, backup = null }) => {
    return { path: file, outcome, backup };
  });
  tell(io, options, { agent, action, where, files: plain, next }, () => [
    `${pc.bold(plugin.title)} ${action === "removed" ? "without" : "with"} Longhaul, in ${unbroken(where)}`,
    ...files.map(fileLine),
    // A command at the end of a line is copied as a whole.
    ...(next.length === 0
      ? []
      : ["", ...next.map((line) => line.replace(/(?<=: )\S+ --.*$/, unbroken))]),
  ]);
}

function fileLine({ path: file, outcome, backup }: FileOutcome): string {
  const note = backup === undefined ? "" : ` (as it was: ${path.basename(backup)})`;
  const left = outcome === "left" ? " (gone, or changed by somebody since)" : "";
  return `  ${outcome.padEnd(9)} ${unbroken(file)}${note}${left}`;
}

/** A package that npx fetched goes when npm cleans its cache. */
function fleeting({ cli }: PluginPlace): readonly string[] {
  if (!/[\\/]_npx[\\/]/.test(cli)) return [];
  return [
    "It starts the longhaul that npx fetched, which npm may remove some day: the agent then goes on without it. npm i -g longhaul and this command again make it last.",
  ];
}
