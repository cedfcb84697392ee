import { EMPTY_LEDGER } from "../../../src/core/ledger/index.ts";
import type { FileOp, Ledger } from "../../../src/core/ledger/index.ts";
import type { Handle } from "../../../src/core/message/index.ts";

/** Four characters are one token. */
export const count = (text: string): number => Math.ceil(text.length / 4);

export const HEAD: Handle = "head_00000000000000aa";

export function head(round: number): Handle {
  return `head_${round.toString(16).padStart(16, "0")}`;
}

/** A ledger from what a test is about; texts are in the order in which they happened. */
export function ledger(facts: {
  readonly instructions?: readonly string[];
  readonly files?: Readonly<Record<string, readonly FileOp[]>>;
  readonly statements?: readonly string[];
  readonly rest?: Partial<Ledger>;
}): Ledger {
  const { instructions = [], files = {}, statements = [], rest = {} } = facts;
  return {
    ...EMPTY_LEDGER,
    instructions: instructions.map((text, at) => ({ text, at })),
    files: Object.entries(files).map(([path, ops], last) => ({ path, ops, last })),
    statements: statements.map((text, at) => ({ text, at })),
    ...rest,
  };
}

/** A session of this many facts of each kind, no two alike, none like those of another seed. */
export function busyLedger(size: number, seed = "s"): Ledger {
  const each = Array.from({ length: size }, (_, index) => index);
  const ops: readonly (readonly FileOp[])[] = [["read"], ["read", "modified"], ["created"]];
  return {
    ...EMPTY_LEDGER,
    files: each.map((last) => ({
      path: `src/${seed}/room-${last % 7}/file-${last}.ts`,
      ops: ops[last % 3] ?? [],
      last,
    })),
    commands: each.map((at) => ({
      command: `npm run ${seed}-task-${at} -- --reporter verbose`,
      outcome: at % 4 === 0 ? "failed" : "ok",
      exitCode: at % 4 === 0 ? 1 : 0,
      at,
    })),
    instructions: each.map((at) => ({ text: `${seed}: rule number ${at} must always hold.`, at })),
    todos: each.map((at) => ({
      text: `${seed} todo ${at}`,
      status: at % 2 === 0 ? "done" : "pending",
    })),
    errors: each.map((at) => ({
      tool: "bash",
      subject: `npm run ${seed}-broken-${at}`,
      text: `Error ${at}: it failed\n    at line ${at}`,
      at,
      resolved: at % 5 === 0,
    })),
    statements: each.map((at) => ({ text: `${seed}: conclusion ${at} about the code.`, at })),
  };
}
