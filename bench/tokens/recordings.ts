import { messageTokens, type TokenCounter } from "../../src/core/tokens/count.ts";
import { estimateTokens } from "../../src/core/tokens/estimate-tokens.ts";
import { readSessions, type Session, sessionFiles } from "../quality/sessions.ts";
import { exact, remembering } from "./exact.ts";

/**
 * How far the estimator is from exact o200k counts on whole recorded conversations, which training
 * never sees: `npx tsx bench/tokens/recordings.ts [FOLDER or FILE]`. One line a file (where a file
 * holds many conversations, how far the errors of each reach), then the worst conversations.
 */

/** Shorter conversations are left out: no window is near. */
const MIN_TOKENS = 5_000;
const WORST = 10;

interface Row {
  readonly name: string;
  readonly tokens: number;
  /** Of the estimate, as a share of the exact count. */
  readonly error: number;
}

const truth = remembering(exact);
const estimate = remembering({ name: "estimate", count: estimateTokens });

function tokensOf({ conversation }: Session, counter: TokenCounter): number {
  return conversation.messages.reduce((sum, message) => sum + messageTokens(message, counter), 0);
}

function rowOf(session: Session): Row {
  const tokens = tokensOf(session, truth);
  const error = tokensOf(session, estimate) / tokens - 1;
  return { name: `${session.file.split("/").at(-1)} ${session.part}`, tokens, error };
}

function percent(share: number | undefined): string {
  return `${((share ?? 0) * 100).toFixed(1)} %`;
}

function fileLine(file: string, rows: readonly Row[]): string {
  const errors = rows.map(({ error }) => error).toSorted((a, b) => a - b);
  const tokens = rows.reduce((sum, row) => sum + row.tokens, 0);
  const mean = rows.reduce((sum, row) => sum + row.error * row.tokens, 0) / tokens;
  const cells = [
    file,
    rows.length,
    tokens,
    percent(mean),
    percent(errors[0]),
    percent(errors.at(-1)),
  ];
  return `| ${cells.join(" | ")} |`;
}

const all: Row[] = [];
console.log("| file | conversations | tokens | error | lowest | highest |");
console.log("| --- | ---: | ---: | ---: | ---: | ---: |");
for (const file of sessionFiles(process.argv[2])) {
  const rows = (await readSessions(file)).map(rowOf).filter(({ tokens }) => tokens > MIN_TOKENS);
  if (rows.length > 0) console.log(fileLine(file.split("/").at(-1) ?? file, rows));
  all.push(...rows);
}
if (all.length > 0) console.log(fileLine("**all**", all));
const worst = all.toSorted((a, b) => Math.abs(b.error) - Math.abs(a.error)).slice(0, WORST);
console.log(`\nworst: ${worst.map(({ name, error }) => `${name} ${percent(error)}`).join(", ")}`);
const beyond = all.filter(({ error }) => Math.abs(error) > 0.03);
const low = beyond.filter(({ error }) => error < 0);
console.log(`beyond 3 %: ${beyond.length} of ${all.length}, ${low.length} of them too low`);
