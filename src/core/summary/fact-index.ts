import type { Ledger } from "../ledger/index.ts";
import { createLedgerSum, type LedgerSum, type MergeOptions } from "../ledger/merge.ts";
import { type CommandIndex, createCommandIndex } from "./commands.ts";
import { createFileIndex, type FileIndex } from "./files.ts";
import { createTypedIndex, type TypedIndex } from "./typed.ts";

/**
 * The facts of a conversation as a summary asks for them, kept while it grows: an edit pays for the
 * facts that are new and for those that may have room, however many there are.
 */
export interface FactIndex extends LedgerSum {
  readonly typed: TypedIndex;
  readonly commands: CommandIndex;
  readonly files: FileIndex;
}

/** An index of nothing so far. */
export function createFactIndex({ cwd }: MergeOptions = {}): FactIndex {
  const typed = createTypedIndex();
  const commands = createCommandIndex(cwd);
  const files = createFileIndex();
  /** Facts whose words nobody has asked for: an edit that summarizes nothing asks for the sum alone. */
  let unread: Ledger[] = [];
  const read = (): void => {
    for (const facts of unread) {
      typed.add(facts.instructions);
      commands.add(facts.commands);
    }
    unread = [];
  };
  const sum = createLedgerSum({ cwd, onFile: (key, file) => files.set(key, file) });
  return {
    get typed() {
      read();
      return typed;
    },
    get commands() {
      read();
      return commands;
    },
    files,
    add(newer) {
      sum.add(newer);
      unread.push(newer);
    },
    ledger: () => sum.ledger(),
  };
}

/** The index of facts that are there as a whole. */
export function indexOf(ledger: Ledger, cwd: string | undefined): FactIndex {
  const index = createFactIndex({ cwd });
  index.add(ledger);
  return index;
}
