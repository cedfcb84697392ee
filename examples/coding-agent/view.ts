import pc from "picocolors";
import type { ContextReport, Failure, Truncation } from "longhaul";
import { clip, count, meter, size, wrap } from "./figures.ts";
import type { ModelAnswer } from "./offline/types.ts";

/** Where the agent shows what it does; a view of a sub-agent is indented. */
export interface View {
  line(text: string): void;
  /** A step begins: what was done to the context for it, and how full that is now. */
  step(report: ContextReport): void;
  /** What the model says and which tools it calls. */
  answer(content: ModelAnswer["content"]): void;
  truncated(cut: Cut): void;
  failed(failure: Failure): void;
  subAgent(): View;
}

export interface Cut {
  readonly tool: string;
  readonly truncation: Truncation;
  /** Where the whole output is. */
  readonly handle: string | undefined;
}

export interface Terminal {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

const PLAIN_COLUMNS = 110;
/** From here on the meter leaves room for what the agent does, also that of a sub-agent. */
const WIDE_COLUMNS = 72;

export function createView(terminal: Terminal, env: NodeJS.ProcessEnv, firstStep: number): View {
  const isTerminal = terminal.isTTY === true;
  const colors = pc.createColors(isTerminal && !env["NO_COLOR"] && env["TERM"] !== "dumb");
  const columns = isTerminal ? Math.max(40, terminal.columns ?? 80) : PLAIN_COLUMNS;
  return viewAt({ terminal, colors, columns, margin: "" }, firstStep);
}

interface Place {
  readonly terminal: Terminal;
  readonly colors: ReturnType<typeof pc.createColors>;
  readonly columns: number;
  /** What stands left of everything. */
  readonly margin: string;
}

function viewAt(place: Place, firstStep: number): View {
  const { terminal, colors, columns, margin } = place;
  const isWide = columns >= WIDE_COLUMNS;
  let step = firstStep - 1;
  /** What stands on a line that has not ended yet: its width. */
  let begun = 0;
  const line = (text: string): void => {
    terminal.write(`${begun > 0 ? "\n" : ""}${margin}${text}\n`);
    begun = 0;
  };
  const note = (mark: string, text: string): void => {
    const lines = terminal.isTTY === true ? wrap(text, columns - margin.length - 6) : [text];
    lines.forEach((each, at) => line(`    ${at === 0 ? mark : " "} ${each}`));
  };
  return {
    line,
    step(report) {
      for (const each of notesOf(report)) note(colors.cyan(each.mark), each.text);
      step += 1;
      const { text, width } = meter(report.tokens.after, report.usable, { colors, isWide });
      const number = String(step).padStart(3);
      terminal.write(`${begun > 0 ? "\n" : ""}${margin}${colors.dim(number)} ${text}`);
      begun = margin.length + number.length + 1 + width;
    },
    answer(content) {
      const indent = begun || margin.length + (isWide ? 37 : 21);
      for (const label of content.flatMap(labelOf)) {
        const gap = begun > 0 ? "  " : `${margin}${" ".repeat(indent - margin.length + 2)}`;
        const room = Math.max(10, columns - indent - 2);
        terminal.write(`${gap}${clip(label, room)}\n`);
        begun = 0;
      }
    },
    truncated({ tool, truncation: { total, kept }, handle }) {
      const where = handle === undefined ? "" : `; the whole is ${handle}`;
      note(colors.yellow("✂"), `${tool}: ${size(total.bytes)} cut to ${size(kept.bytes)}${where}`);
    },
    failed: ({ code, message }) => note(colors.red("!"), `${code}: ${message}`),
    subAgent: () => viewAt({ ...place, margin: `${margin}    │ ` }, 1),
  };
}

function* notesOf(report: ContextReport): Generator<{ mark: string; text: string }> {
  const { action, tokens, prune, head, summary, warnings } = report;
  const change = `${count(tokens.before)} → ${count(tokens.after)} tokens`;
  if (action === "prune") yield { mark: "▾", text: `pruned ${prune.length} outputs: ${change}` };
  if (action === "compact") {
    const where = head?.handle === undefined ? "" : `; they are ${head.handle}`;
    yield { mark: "●", text: `compacted ${head?.messages ?? 0} messages: ${change}${where}` };
  }
  if (summary !== undefined) {
    const sections = Object.entries(summary.sections).map(
      ([name, text]) => `${name} ${text.trim().split("\n").length}`,
    );
    const from = `${summary.source}, ${count(summary.tokens)} tokens`;
    yield { mark: " ", text: `summary (${from}; lines): ${sections.join(" · ")}` };
  }
  for (const warning of warnings) yield { mark: "!", text: warning };
}

function labelOf(part: ModelAnswer["content"][number]): string[] {
  if (part.type === "text") return part.text.trim() === "" ? [] : [part.text];
  if (part.type !== "tool-call") return [];
  return [`${part.toolName} ${shownInput(part.input)}`];
}

/** A model can write anything, also input that is no JSON; the SDK tells it so. */
function shownInput(input: string): string {
  try {
    const { old: _, new: _new, ...rest } = JSON.parse(input) as Readonly<Record<string, unknown>>;
    return Object.values(rest)
      .filter((value) => typeof value === "string")
      .join(" ");
  } catch {
    return input;
  }
}
