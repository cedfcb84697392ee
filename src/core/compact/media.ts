import { describeMedia } from "../continuation/continuation.ts";
import type { Edit } from "../message/edit.ts";
import type { Digest } from "../message/handle.ts";
import {
  type FilePart,
  type Message,
  type OpaquePart,
  outputText,
  type Part,
  type ToolResultPart,
} from "../message/message.ts";
import { originalHandle } from "../message/original.ts";

/**
 * Which images and files become text with an edit, wherever they stand: those that are only linked,
 * all, or those for which a function says so. It gets the file and the message that it stands in.
 */
export type DescribeMedia = "links" | "all" | MediaTest;

export type MediaTest = (file: FilePart, message: Message) => boolean;

/** The surroundings of a part that is described. */
export interface MediaContext {
  readonly digest: Digest;
  readonly now: number;
  /** False when the archive takes nothing: no original is promised then. */
  readonly canRecall?: boolean;
  /** Whether the agent has the tool `recall`. @default true */
  readonly recall?: boolean;
}

/** The place of a part. */
type Place = Pick<Edit, "message" | "part">;

/** Files that become text: those that could not be loaded, and those that an option names. */
export interface MediaChoice {
  readonly unloadedLinks?: readonly string[];
  readonly describeMedia?: DescribeMedia;
}

/** The test of a choice; `undefined` where it names nothing. */
export function mediaTest({
  unloadedLinks: links = [],
  describeMedia: which,
}: MediaChoice): MediaTest | undefined {
  if (links.length === 0 && which === undefined) return undefined;
  if (which === "all") return () => true;
  const isNamed = which === "links" ? isLinked : which;
  return (file, message) => links.includes(file.url ?? "") || (isNamed?.(file, message) ?? false);
}

/** A file whose bytes are somewhere else. */
function isLinked({ data, url }: FilePart): boolean {
  // JSON writes `null` for what is not there.
  return data == null && typeof url === "string";
}

/** The files of a message, those that its tools returned included. */
function filesOf({ parts }: Message): FilePart[] {
  return parts.flatMap((part) => {
    const pieces: readonly Part[] = part.type === "tool-result" ? part.output : [part];
    return pieces.filter((piece) => piece.type === "file");
  });
}

/**
 * The links of messages that a provider could not load, by what it says: those that it names, and
 * all where it names none. A link that a reply stands behind was loaded once, so it has expired, and
 * so have the others of its host that were.
 */
export function unreachableLinks(messages: readonly Message[], said: string): readonly string[] {
  const answered = messages.findLastIndex(({ role }) => role === "assistant");
  const links = messages.flatMap((message, at) =>
    filesOf(message)
      .filter(isLinked)
      .map(({ url = "" }) => ({ url, host: hostOf(url), wasLoaded: at < answered })),
  );
  const named = links.filter(({ url }) => said.includes(url));
  const expired = new Set(named.filter(({ wasLoaded }) => wasLoaded).map(({ host }) => host));
  const gone = links.filter(({ wasLoaded, host }) => wasLoaded && expired.has(host));
  const all = named.length > 0 ? [...named, ...gone] : links;
  return [...new Set(all.map(({ url }) => url))];
}

function hostOf(url: string): string {
  return /^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i.exec(url)?.[0] ?? url;
}

/**
 * The edits that describe these files by text. An output of which one file goes becomes text as a
 * whole. System messages at the beginning stay as they are.
 */
export function mediaEdits(
  messages: readonly Message[],
  goes: MediaTest | undefined,
  context: MediaContext,
): Edit[] {
  if (goes === undefined) return [];
  return messages.flatMap((message, index) => {
    if (message.role === "system") return [];
    return message.parts.flatMap((part, at): Edit[] => {
      const place = { message: index, part: at };
      const isGone = (piece: Part): boolean => piece.type === "file" && goes(piece, message);
      if (part.type === "file" && isGone(part)) return [describePart(part, place, context)];
      if (part.type !== "tool-result" || !part.output.some(isGone)) return [];
      return [describeOutput(part, outputText(part.output), place, context)];
    });
  });
}

/** Describes a file, or a block that nobody knows. */
export function describePart(
  part: FilePart | OpaquePart,
  place: Place,
  context: MediaContext,
): Edit {
  const handle = originalHandle(part, context.digest);
  const text = describeMedia(
    [part],
    context.canRecall === false ? undefined : handle,
    context.recall,
  );
  return { ...place, type: "replace-text", reason: "media", handle, text };
}

/** Puts `text` and a description of what is no text in the place of an output. */
export function describeOutput(
  part: ToolResultPart,
  text: string,
  place: Place,
  { digest, now, canRecall, recall }: MediaContext,
): Edit {
  const handle = originalHandle(part, digest);
  const media = describeMedia(part.output, canRecall === false ? undefined : handle, recall);
  const whole = outputText(part.output);
  const reason = text === whole ? "media" : "clipped";
  const both = [text, media].filter((piece) => piece !== "").join("\n");
  return { ...place, type: "replace-output", reason, handle, text: both, at: now };
}
