import type { FileFact, Ledger } from "./ledger.ts";

/** No ledger holds more than this of anything, however long the conversation; the newest stay. */
const MOST = {
  files: 20_000,
  commands: 20_000,
  instructions: 5_000,
  errors: 1_000,
  statements: 400,
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
