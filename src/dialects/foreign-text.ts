import type { FilePart, OpaquePart, OutputPart } from "../core/message/index.ts";

/** The short text that stands for a part which the dialect at hand has no place for. */
export function foreignText(part: FilePart | OpaquePart): string {
  if (part.type === "opaque") return `[${part.kind} of ${part.source.dialect}, not shown here]`;
  const name = part.filename === undefined ? "" : ` ${part.filename}`;
  const address = part.url === undefined ? "" : `: ${part.url}`;
  return `[file${name} (${part.mediaType}), not shown here${address}]`;
}

/** A tool's output as one text; whatever is no text is named. */
export function outputAsText(output: readonly OutputPart[]): string {
  return output.map((part) => (part.type === "text" ? part.text : foreignText(part))).join("\n");
}
