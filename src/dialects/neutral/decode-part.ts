import type { OutputPart, Part } from "../../core/message/index.ts";
import {
  invalidWire,
  isWireBlock,
  isWireObject,
  requiredString,
  type WirePlace,
} from "../wire-value.ts";

/** Checks that a value is a part, and takes it as it is; only a native source is removed. */
export function decodePart(value: unknown, place: WirePlace): Part {
  if (!isWireBlock(value)) throw invalidWire(place, "has a part without a type");
  switch (value.type) {
    case "text":
    case "reasoning":
      requiredString(value, "text", place);
      break;
    case "file":
      requiredString(value, "mediaType", place);
      break;
    case "tool-call":
    case "tool-result":
      requiredString(value, "toolCallId", place);
      requiredString(value, "toolName", place);
      if (value.type === "tool-result" && !Array.isArray(value["output"])) {
        throw invalidWire(place, "has a tool result whose output is no array");
      }
      break;
    case "opaque":
      requiredString(value, "kind", place);
      if (!isWireObject(value["source"])) {
        throw invalidWire(place, "has an opaque part without a source");
      }
      break;
    default:
      throw invalidWire(place, `has a part of the unknown type "${value.type}"`);
  }
  const part = value as unknown as Part;
  if (part.type === "tool-result") {
    for (const piece of part.output) checkPiece(piece, place);
  }
  return plainPart(part);
}

function checkPiece(piece: unknown, place: WirePlace): void {
  const { type } = decodePart(piece, place);
  if (type === "text" || type === "file" || type === "opaque") return;
  throw invalidWire(place, `has a tool result that holds a ${type} part`);
}

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
