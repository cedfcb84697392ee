/**
 * The ledger: facts taken from messages without a model. Plain JSON, so that a journal can keep it
 * and a report can print it. `at` and `last` are indices into the messages it was taken from.
 */

export type FileOp = "read" | "created" | "modified" | "deleted";

export interface FileFact {
  /**
   * As the agent named it, absolute if it ever did; see `normalizePath`. One that ends in `/` is a
   * folder that was deleted with everything in it.
   */
  readonly path: string;
  /** Distinct operations, each at its last place: a file is gone if the last one is `deleted`. */
  readonly ops: readonly FileOp[];
  /** Index of the message with the last operation. */
  readonly last: number;
}

export interface CommandFact {
  readonly command: string;
  readonly outcome: "ok" | "failed" | "unknown";
  readonly exitCode?: number;
  /** The handle or path of the whole output, where the conversation has only a part of it. */
  readonly output?: string;
  /** Whether it only showed what is there. @default false */
  readonly looks?: true;
  /** The name of a tool of no known kind; the command is what its call was about, or the name. */
  readonly tool?: string;
  readonly at: number;
}

/** Something the person typed, verbatim. */
export interface InstructionFact {
  readonly text: string;
  readonly at: number;
}

export interface TodoFact {
  /** The agent's own name for it, where its tools change todos one by one. */
  readonly id?: string;
  readonly text: string;
  readonly status: "pending" | "in-progress" | "done";
}

export interface ErrorFact {
  /** The tool whose result failed. */
  readonly tool: string;
  /** The command or path that was tried, one line. */
  readonly subject: string;
  /** The first lines that say what went wrong. */
  readonly text: string;
  readonly at: number;
  /** True when the same thing later succeeded. */
  readonly resolved: boolean;
}

/** The agent's own words that will matter later: conclusions at the ends of turns, decisions. */
export interface StatementFact {
  readonly text: string;
  readonly at: number;
}

/** A name that nobody can guess: of the code, an id, a URL, a path. */
export interface NameFact {
  readonly name: string;
  /** The file that it stood in, as the agent named it. */
  readonly path?: string;
  /** Whether the agent wrote it itself. @default false */
  readonly isOwn?: boolean;
}

export interface Ledger {
  readonly files: readonly FileFact[];
  readonly commands: readonly CommandFact[];
  readonly instructions: readonly InstructionFact[];
  /** The newest todo list, whole. */
  readonly todos: readonly TodoFact[];
  /** Index of the message that wrote the todo list; absent when none did. */
  readonly todosAt?: number;
  readonly errors: readonly ErrorFact[];
  readonly statements: readonly StatementFact[];
  /** The end of what the agent said last, if it said anything. */
  readonly said?: readonly StatementFact[];
  /** Names of what was compacted, oldest first. */
  readonly names?: readonly NameFact[];
}

export const EMPTY_LEDGER: Ledger = {
  files: [],
  commands: [],
  instructions: [],
  todos: [],
  errors: [],
  statements: [],
};

/** No ledger holds more than this of anything, however long the conversation; the newest stay. */
const MOST = {
  files: 20_000,
  commands: 20_000,
  instructions: 5_000,
  errors: 1_000,
  statements: 400,
  names: 1_000,
} as const;

/** A ledger within its bounds. Files that were only read go before files that were changed. */
export function bounded(ledger: Ledger): Ledger {
  return {
    ...ledger,
    files: boundedFiles(ledger.files),
    commands: newest(ledger.commands, MOST.commands),
    instructions: newest(ledger.instructions, MOST.instructions),
    errors: newest(ledger.errors, MOST.errors),
    statements: newest(ledger.statements, MOST.statements),
    ...(ledger.names && { names: newest(ledger.names, MOST.names) }),
  };
}

function newest<T>(facts: readonly T[], most: number): readonly T[] {
  return facts.length > most ? facts.slice(-most) : facts;
}

function boundedFiles(files: readonly FileFact[]): readonly FileFact[] {
  if (files.length <= MOST.files) return files;
  const isRead = ({ ops }: FileFact): boolean => ops.every((op) => op === "read");
  const ranked = files.toSorted((a, b) => Number(isRead(a)) - Number(isRead(b)) || b.last - a.last);
  const kept = new Set(ranked.slice(0, MOST.files));
  return files.filter((file) => kept.has(file));
}
