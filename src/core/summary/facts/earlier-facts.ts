import { fileLine } from "./fact-lines.ts";
import { type Facts, type FileMention, NO_FACTS } from "./facts.ts";

/**
 * What a summary of a model says beyond what is known by construction, as nothing but words: they
 * stand where no model writes the next summary, and none of them counts as something that happened.
 */
export function wordsOf(said: Facts, known: Facts): Facts {
  const paths = new Set(known.files.map(({ path }) => path));
  const told = said.files.filter(({ ops, role }) => ops.length === 0 || role !== undefined);
  const open = said.open.filter((todo) => !known.open.includes(todo) && !known.done.includes(todo));
  const words = [...(said.notes.get("accomplished") ?? []), ...open.map(stillOpen)];
  const files = told.filter(({ path }) => !paths.has(path)).map(wordsOnFile);
  return {
    ...NO_FACTS,
    statements: said.statements,
    files: told.filter(({ path }) => paths.has(path)).map((file) => ({ ...file, ops: [] })),
    notes: new Map([
      ...said.notes,
      ["accomplished", words],
      ["relevantFiles", [...(said.notes.get("relevantFiles") ?? []), ...files]],
    ]),
    others: said.others,
  };
}

function stillOpen(todo: string): string {
  return `Still open: ${todo}`;
}

function wordsOnFile(file: FileMention): string {
  return fileLine({ ...file, ops: [] });
}

/** Who said it is not known: a model of another program wrote it down. */
const HEARSAY = "An earlier summary says: ";

/** The facts of another program's summary, with its instructions marked as what they are. */
export function asForeign(facts: Facts): Facts {
  return { ...facts, instructions: facts.instructions.map((text) => `${HEARSAY}${text}`) };
}

/** Whether an instruction is only what another program's summary says. */
export function isHearsay(instruction: string): boolean {
  return instruction.startsWith(HEARSAY);
}
