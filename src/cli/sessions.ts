import path from "node:path";
import { type Command, Option } from "commander";
import type { CommonOptions, Io } from "./io.ts";
import { numberOption, sinceOption } from "./options.ts";
import { listSessions } from "./sessions/choose-session.ts";
import { AGENT_NAMES } from "./sessions/session-table.ts";
import type { SessionFilter } from "./sessions/survey.ts";

interface FilterFlags extends CommonOptions {
  readonly project?: string;
  /** ms since the epoch. */
  readonly since?: number;
  readonly agent?: string;
}

/** Options of every command on many sessions. */
export function filterOptions(command: Command): Command {
  return command
    .option("--project <dir>", "sessions of this folder, and of those below it")
    .option("--since <when>", "changed since then: 7d, 12h, or 2026-11-20", sinceOption)
    .addOption(
      new Option("--agent <name>", "sessions of this agent").choices(Object.keys(AGENT_NAMES)),
    );
}

/** Of what was typed, which sessions are meant. */
export function filterOf(io: Io, { project, since, agent }: FilterFlags): SessionFilter {
  return {
    since,
    agent,
    ...(project !== undefined && { project: path.resolve(io.cwd, project) }),
  };
}

/** `longhaul sessions`: all sessions on this computer, newest first. */
export function define(command: Command, io: Io): void {
  filterOptions(command)
    .description(
      "Lists the sessions of Claude Code, Codex, opencode, pi, Gemini CLI, Qwen Code and Copilot CLI on this computer, newest first: project and title, when, how full the window is, tokens, how much came from the cache, money, agent. longhaul alone, at a terminal, lets you choose one of them.",
    )
    .option("--limit <sessions>", "the most sessions (default: all)", numberOption)
    .addHelpText("after", EXAMPLES)
    .action(({ limit, json, ...flags }: FilterFlags & { readonly limit?: number }) =>
      listSessions(io, { limit, json, ...filterOf(io, flags) }),
    );
}

const EXAMPLES = `
Examples:
  longhaul sessions --since 7d --project .
  longhaul sessions --json | jq '.[] | select(.fill > 0.8) | .id'`;
