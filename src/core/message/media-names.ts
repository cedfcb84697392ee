import { clipLine } from "../text/clip.ts";
import { fileBytes } from "./file-data.ts";
import type { FilePart, OpaquePart, OutputPart } from "./message.ts";

const NAME_UNITS = 200;
const TYPE_UNITS = 100;

const NAMED_PIECES = 4;

/** The images, files and opaque pieces among these, on one line, and how many they are. */
export function mediaNames(pieces: readonly OutputPart[]): {
  readonly named: string;
  readonly count: number;
} {
  const names = pieces.flatMap((piece) => (piece.type === "text" ? [] : [mediaName(piece)]));
  const times = new Map<string, number>();
  for (const name of names) times.set(name, (times.get(name) ?? 0) + 1);
  const each = [...times].map(([name, count]) => (count > 1 ? `${count} × ${name}` : name));
  const rest = each.length - NAMED_PIECES;
  const named = each.slice(0, NAMED_PIECES).join("; ") + (rest > 0 ? `; and ${rest} more` : "");
  return { named, count: names.length };
}

/** Names and types come from whoever attached the piece: one line, and no half of a character. */
export function mediaName(piece: FilePart | OpaquePart): string {
  if (piece.type === "opaque") return clipLine(piece.kind, TYPE_UNITS);
  const { mediaType, filename, data } = piece;
  const name = filename ? ` "${clipLine(filename, NAME_UNITS)}"` : "";
  const size = data ? `, ${fileBytes(piece)} bytes` : "";
  return `${clipLine(mediaType, TYPE_UNITS)}${name}${size}`;
}
