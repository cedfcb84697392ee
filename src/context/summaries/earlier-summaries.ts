import { type Handle, type Message, messageText } from "../../core/message/index.ts";
import { type ExtractiveInput, unframeSummary } from "../../core/summary/index.ts";

type Sources = Pick<ExtractiveInput, "previousSummary" | "previousFacts" | "foreignSummaries">;

/** The summaries that a head holds. */
export interface EarlierSummaries {
  /** All of them as one text, for whoever writes the next one; `undefined` where there is none. */
  readonly text: string | undefined;
  /** The same as what facts are taken from. */
  readonly sources: Sources;
  /** The heads that ours stand for. */
  readonly handles: readonly Handle[];
}

/**
 * The summaries among messages: ours without its frame, those of other programs as they are. The
 * records say which of our words are facts; without its record a summary is taken at its word.
 */
export function earlierSummaries(
  messages: readonly Message[],
  { extractiveOf }: { readonly extractiveOf: (summary: string) => string | undefined },
): EarlierSummaries {
  const texts = messages
    .filter(({ kind }) => kind === "summary")
    .map(messageText)
    .filter((text) => text !== "");
  const framed = texts.flatMap((text) => unframeSummary(text) ?? []);
  const foreign = texts.filter((text) => unframeSummary(text) === undefined);
  const extractive = texts.map((text) => extractiveOf(text));
  const all = texts.map((text) => unframeSummary(text)?.text ?? text);
  return {
    text: all.length === 0 ? undefined : all.join("\n\n"),
    sources: {
      previousSummary: framed.map(({ text }) => text).join("\n\n"),
      previousFacts: extractive.find((text) => text !== undefined),
      foreignSummaries: foreign,
    },
    handles: framed.flatMap(({ headHandle }) => headHandle ?? []),
  };
}
