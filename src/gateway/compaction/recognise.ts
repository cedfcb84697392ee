import { isWireObject, objectsIn, parseInput, textIn } from "../../dialects/wire.ts";
import { headerOf, type RawHeaders } from "../headers.ts";

/** A client that asks a model to summarize the history which it sends. */
export interface ClientCompaction {
  readonly client: string;
  /** The element in which it looks for the summary. */
  readonly element?: string;
}

interface Sign extends ClientCompaction {
  /** The beginning of the text that asks for it. */
  readonly begins: RegExp;
}

/** Those whose request holds the history as messages; some copy it into one text instead. */
const SIGNS: readonly Sign[] = [
  {
    client: "claude-code",
    element: "summary",
    begins:
      /^(?:CRITICAL: [^]{0,4000}?)?Your task is to create a detailed summary of (?:the|this) conversation\b/,
  },
  { client: "codex", begins: /^You are performing a CONTEXT CHECKPOINT COMPACTION\b/ },
  {
    client: "qwen",
    element: "state_snapshot",
    begins: /^You are the component that summarizes\b/,
  },
  { client: "continue", begins: /^Please provide a concise summary of our conversation so far\b/ },
];

/** The sign of a client's own compaction, which the newest message asks for. */
export function clientCompaction(
  headers: RawHeaders,
  list: readonly unknown[],
): ClientCompaction | undefined {
  const last = list.at(-1);
  if (list.length < 2 || !isWireObject(last) || last["role"] !== "user") return undefined;
  const texts = textsIn(last["content"]);
  const said = SIGNS.find(({ begins }) => texts.some((text) => begins.test(text.trimStart())));
  if (said !== undefined) return said;
  const turn = parseInput(headerOf(headers, "x-codex-turn-metadata"));
  const isCodex = isWireObject(turn) && turn["request_kind"] === "compaction";
  return isCodex ? { client: "codex" } : undefined;
}

function textsIn(content: unknown): readonly string[] {
  if (typeof content === "string") return [content];
  return objectsIn(content).flatMap((part) => textIn(part, "text") ?? []);
}

/** A summary in the form that the client looks for. */
export function summaryFor({ element }: ClientCompaction, summary: string): string {
  return element === undefined ? summary : `<${element}>\n${summary}\n</${element}>`;
}
