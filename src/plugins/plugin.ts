import { isWindowsPath, shellWord } from "../core/text/shell.ts";
import type { HookLimits } from "./hook-options.ts";

/** The place of a plugin, and what it starts. */
export interface PluginPlace {
  /** The person's home folder; absolute. */
  readonly home: string;
  /** Variables that say where an agent keeps its files; without them for another home than one's own. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder that was asked for with `--dir`; absolute. Only agents that can load one take it. */
  readonly dir?: string;
  /** The project that it is for, if it is not for all of them: a folder, absolute. */
  readonly project?: string;
  /** The folder of the built package, absolute. */
  readonly built: string;
  /** This Node, absolute. */
  readonly node: string;
  /** Our command line, absolute. */
  readonly cli: string;
  /** The small program that hooks start, absolute. */
  readonly hook: string;
  /** Our state folder, absolute. */
  readonly state: string;
  /** The limits of an output. */
  readonly limits: HookLimits;
}

/** The changes that a plugin is made of, as data: whoever writes it can show it first and take it back. */
export type Change =
  /** A file that is ours alone. */
  | { readonly type: "file"; readonly path: string; readonly content: string }
  /** Entries in a JSON file of the person; comments and the rest of it stay as they are. */
  | { readonly type: "json"; readonly path: string; readonly entries: readonly JsonEntry[] }
  /** Lines at the end of a text file of the person, between two that say whose they are (`#` begins them). */
  | {
      readonly type: "block";
      readonly path: string;
      readonly text: string;
      /** A pattern of what says the same in the rest of the file, so that the block would break it. */
      readonly unless?: RegExp;
    };

/** A value in a JSON file. */
export interface JsonEntry {
  /** The keys that lead to it, from the outside in. */
  readonly at: readonly string[];
  readonly value: unknown;
  /** `append`: as the last item of the list there. `absent`: only where nothing is. @default "set" */
  readonly how?: "append" | "absent" | "set";
}

/** The way to make Longhaul part of one coding agent. */
export interface AgentPlugin {
  /** The agent's name for people. */
  readonly title: string;
  /** Whether it can be written into a folder of one's choice, which the agent then loads. */
  readonly takesFolder: boolean;
  /** Whether it can be there for one project alone. */
  readonly takesProject?: boolean;
  /** The folder or file that holds the most of it, for people. */
  where(place: PluginPlace): string;
  /** The changes that must be made. Pure. */
  changes(place: PluginPlace): readonly Change[];
  /** Lines on what the person has to know or do after that. */
  next(place: PluginPlace): readonly string[];
}

/** Words as one line of a shell of the system that the first of them, a path, is from. */
export function commandLine(words: readonly string[]): string {
  const isWindows = isWindowsPath(words[0] ?? "");
  return words.map((word) => shellWord(word, isWindows)).join(" ");
}

/** Words as the command line of a hook: an agent shows what fails, and nobody can do anything about it. */
export function hookLine(words: readonly string[]): string {
  // Not every shell of Windows has these words.
  return isWindowsPath(words[0] ?? "") ? commandLine(words) : `${commandLine(words)} || true`;
}
