/** The five sections, and every instruction of the user. */
import type { ContextReport } from "../../src/context/index.ts";
import type { Message } from "../../src/core/message/index.ts";
import type { Recovery } from "./check-recovery.ts";
import { textOf, type SessionReading } from "./reading/read-session.ts";
import type { Run } from "./check-run.ts";

export interface SummaryInput {
  readonly reading: SessionReading;
  readonly source: readonly Message[];
  readonly result: readonly Message[];
  readonly report: ContextReport;
  readonly recovery: Recovery;
  readonly fail: (text: string) => void;
}

const HEADINGS = ["Goal", "Instructions", "Discoveries", "Accomplished", "Relevant files"] as const;

export function checkSummary(input: SummaryInput): Run["instructions"] {
  const { report, result } = input;
  const summary = result.find(({ kind, metadata }) => {
    return kind === "summary" && metadata?.["head"] === report.head?.handle;
  });
  const text = summary === undefined ? "" : textOf(summary);
  if (report.action === "compact") checkSections(text, input);
  return checkInstructions(text, input);
}

function checkSections(text: string, { reading, source, recovery, fail }: SummaryInput): void {
  const sections = sectionsOf(text);
  const isInHead = ({ at }: { readonly at: number }): boolean => {
    return at >= recovery.head.from && at < recovery.head.to;
  };
  const head = source.slice(recovery.head.from, recovery.head.to);
  const acts = reading.acts.filter((act) => isInHead(act) && act.certain);
  const isAsked = reading.instructions.some(isInHead);
  const hasRun = reading.commands.some(isInHead);
  const hasWritten = acts.some(({ operations }) => !operations.includes("read"));
  const hasRead = acts.some(({ operations }) => operations.includes("read"));
  const hasSaid = head.some((one) => one.role === "assistant" && textOf(one).trim().length > 200);
  const has: Readonly<Record<(typeof HEADINGS)[number], boolean>> = {
    Goal: isAsked,
    Instructions: isAsked,
    Discoveries: hasRead || hasSaid,
    Accomplished: hasRun || hasWritten,
    "Relevant files": acts.length > 0,
  };
  const order = [...sections.keys()].filter((key) => (HEADINGS as readonly string[]).includes(key));
  if (order.join() !== HEADINGS.join()) fail(`the summary's sections are ${order.join(", ")}`);
  for (const heading of HEADINGS) {
    const body = sections.get(heading) ?? "";
    if (body === "") fail(`section ${heading} is empty`);
    if (body === "(none)" && has[heading])
      fail(`section ${heading} is (none) although there are such facts`);
  }
}

function sectionsOf(text: string): ReadonlyMap<string, string> {
  const sections = new Map<string, string>();
  let open: string | undefined;
  for (const line of text.split("\n").slice(0, -1)) {
    const heading = /^## (.+)$/.exec(line)?.[1];
    if (heading !== undefined) {
      open = heading;
      sections.set(heading, "");
    } else if (open !== undefined) {
      sections.set(open, `${sections.get(open) ?? ""}\n${line}`.trim());
    }
  }
  return sections;
}

/** Word for word in the context (the summary may indent it), or in what a named handle recovers. */
function checkInstructions(
  summary: string,
  { reading, result, recovery, fail }: SummaryInput,
): Run["instructions"] {
  const kept = squeezed(result.map(textOf).join("\n\n")) + squeezed(summary);
  let verbatim = 0;
  let recalled = 0;
  for (const { text, at } of reading.instructions) {
    if (kept.includes(squeezed(text))) verbatim++;
    else if (recovery.archived.includes(JSON.stringify(firstText(text)).slice(1, -1))) recalled++;
    else if (recovery.archived.includes(text)) recalled++;
    else fail(`the instruction of message ${at} is neither in the context nor behind a handle`);
  }
  return { verbatim, recalled };
}

/** Parts are joined by a blank line in the reading; the archive holds them one by one. */
function firstText(text: string): string {
  return text.split("\n\n")[0] ?? "";
}

/** Without white space, so that indenting does not count, and without our escapes. */
export function squeezed(text: string): string {
  return text.replace(/\s+/g, "").replaceAll("&lt;", "<").replaceAll("&amp;", "&");
}
