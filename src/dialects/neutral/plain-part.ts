import type { OutputPart, Part } from "../../core/message/index.ts";

/** The part without native sources; the very same object if it has none. */
export function plainPart(part: Part): Part {
  if (part.type === "opaque") return part;
  const { source, ...plain } = part;
  if (part.type !== "tool-result") return source === undefined ? part : plain;
  const output = part.output.map((piece) => plainPart(piece) as OutputPart);
  const isPlain = output.every((piece, at) => piece === part.output[at]);
  if (isPlain && source === undefined) return part;
  return { ...(plain as typeof part), output: isPlain ? part.output : output };
}
