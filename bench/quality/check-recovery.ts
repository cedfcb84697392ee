/** Promise 3: whatever left the window comes back byte for byte from a handle that it names. */
import type { Archive } from "../../src/archive/index.ts";
import type { ContextReport } from "../../src/context/index.ts";
import type { Message, Part, ToolCallPart, ToolResultPart } from "../../src/core/message/index.ts";

export interface RecoveryInput {
  readonly source: readonly Message[];
  readonly result: readonly Message[];
  readonly report: ContextReport;
  readonly archive: Archive;
  readonly fail: (text: string) => void;
}

export interface Recovery {
  /** How many handles the result names. */
  readonly handles: number;
  /** What they recover, all together. */
  readonly archived: string;
  /** How many leading messages of the source stand for the head, and how many system messages before. */
  readonly head: { readonly from: number; readonly to: number };
}

export const HANDLE: RegExp = /\b(?:out|parts|in|msg|head)_[0-9a-f]{16}\b/g;

export async function checkRecovery(input: RecoveryInput): Promise<Recovery> {
  const { source, result, archive, fail } = input;
  const known = new Set(JSON.stringify(source.map(plain)).match(HANDLE));
  const named = new Set(JSON.stringify(result.map(plain)).match(HANDLE));
  const contents = new Map<string, string>();
  for (const handle of named) {
    if (known.has(handle)) continue;
    try {
      contents.set(handle, await archive.get(handle));
    } catch (error) {
      fail(`${handle} is named and recovers nothing: ${String(error)}`);
    }
  }
  const head = headOf(input);
  checkParts(input, contents);
  checkOriginals(input, contents);
  checkHead(input, contents, head);
  await checkReasoning(input);
  checkKept(input, head);
  return { handles: contents.size, archived: [...contents.values()].join("\n"), head };
}

function headOf({ source, report }: RecoveryInput): Recovery["head"] {
  const first = source.findIndex(({ role }) => role !== "system");
  const from = first < 0 ? source.length : first;
  if (report.head === undefined) return { from, to: from };
  return {
    from: report.messages.before - report.head.messages - (report.tail?.messages ?? 0),
    to: report.messages.before - (report.tail?.messages ?? 0),
  };
}

/** Every tool part of the result is the source's, or names the handle of what it was. */
function checkParts(
  { source, result, fail }: RecoveryInput,
  contents: ReadonlyMap<string, string>,
): void {
  const calls = new Map<string, ToolCallPart>();
  const results = new Map<string, ToolResultPart>();
  for (const part of source.flatMap(({ parts }) => parts)) {
    if (part.type === "tool-call") calls.set(part.toolCallId, part);
    if (part.type === "tool-result") results.set(part.toolCallId, part);
  }
  for (const part of result.flatMap(({ parts }) => parts)) {
    const before =
      part.type === "tool-call"
        ? calls.get(part.toolCallId)
        : part.type === "tool-result"
          ? results.get(part.toolCallId)
          : undefined;
    if (part.type !== "tool-call" && part.type !== "tool-result") continue;
    if (before === undefined) {
      fail(`${part.type} ${part.toolCallId} is not in the session`);
      continue;
    }
    const was = bodyOf(before);
    if (bodyOf(part) === was) continue;
    const handles = new Set(JSON.stringify(plainPart(part)).match(HANDLE));
    const texts = [...handles].flatMap((handle) => contents.get(handle) ?? []);
    if (!texts.includes(was)) {
      fail(
        `${part.type} of ${part.toolName} ${part.toolCallId} changed and no handle gives it back`,
      );
    }
  }
}

/** What an archive must hold of a part: its text, or JSON where it is more. */
export function bodyOf(part: ToolCallPart | ToolResultPart): string {
  if (part.type === "tool-call") {
    return typeof part.input === "string" ? part.input : JSON.stringify(part.input);
  }
  const [only] = part.output;
  if (part.output.length === 1 && only?.type === "text") return only.text;
  return JSON.stringify(part.output.map(plainOutput));
}

/** Every handle but the head's recovers something that was in the session. */
function checkOriginals(
  { source, fail }: RecoveryInput,
  contents: ReadonlyMap<string, string>,
): void {
  const originals = new Set<string>();
  for (const part of source.flatMap(({ parts }) => parts)) {
    if (part.type === "text") originals.add(part.text);
    if (part.type === "tool-call" || part.type === "tool-result") originals.add(bodyOf(part));
    if (part.type === "file") originals.add(JSON.stringify([plainPart(part)]));
  }
  for (const [handle, content] of contents) {
    if (!handle.startsWith("head_") && !originals.has(content)) {
      fail(`${handle} recovers what was never in the session`);
    }
  }
}

/** The head's archive holds every message of the head, one a line and in order. */
function checkHead(
  { source, result, report, fail }: RecoveryInput,
  contents: ReadonlyMap<string, string>,
  { from, to }: Recovery["head"],
): void {
  if (report.action !== "compact") return;
  const handle = report.head?.handle;
  const archived = handle === undefined ? undefined : contents.get(handle);
  if (archived === undefined) {
    fail(`the head's handle ${handle ?? ""} is not named in the result`);
    return;
  }
  const lines = archived.trimEnd().split("\n");
  const expected = source.slice(from, to).map((message) => sorted(plain(message)));
  const bad = expected.findIndex(
    (line, index) => sorted(JSON.parse(lines[index] ?? "null")) !== line,
  );
  if (bad >= 0) fail(`message ${from + bad} of the head is not in its archive as it was`);
  const summaries = result.filter(
    ({ kind, metadata }) => kind === "summary" && metadata?.["head"] === handle,
  );
  if (summaries.length !== 1) fail(`${summaries.length} summaries name the head`);
}

/** Reasoning that went because something before it was pruned is in the archive, whole. */
async function checkReasoning({ source, report, archive, fail }: RecoveryInput): Promise<void> {
  const { reasoning } = report;
  if (reasoning?.handle === undefined) return;
  const lines = (await archive.get(reasoning.handle)).trimEnd().split("\n");
  if (lines.length !== reasoning.messages) fail("the reasoning's archive has another length");
  const known = new Set(source.map((message) => sorted(plain(message))));
  for (const line of lines) {
    if (!known.has(sorted(JSON.parse(line)))) fail("archived reasoning was never in the session");
  }
}

/** What is not in the head is in the result: the same object, or one that was edited in place. */
function checkKept({ source, result, fail }: RecoveryInput, { from, to }: Recovery["head"]): void {
  const kept = [...source.slice(0, from), ...source.slice(to)];
  let at = 0;
  for (const message of kept) {
    // A message of reasoning alone may go with its reasoning; no other stands for it.
    const isThought = message.parts.every(({ type }) => type === "reasoning");
    const next = result.findIndex(
      (one, index) => index >= at && (isThought ? one === message : isSameEntry(one, message)),
    );
    if (next < 0) {
      if (isThought) continue;
      fail(`a ${message.role} message behind the head is not in the result`);
    } else {
      at = next + 1;
    }
  }
}

function isSameEntry(one: Message, before: Message): boolean {
  if (one === before) return true;
  if (one.role !== before.role) return false;
  const ids = (message: Message): string =>
    message.parts
      .flatMap((part) =>
        part.type === "tool-call" || part.type === "tool-result" ? [part.toolCallId] : [],
      )
      .join(" ");
  const texts = before.parts.filter(({ type }) => type === "text").length;
  return ids(one) === ids(before) && (ids(before) !== "" || texts > 0 || one.parts.length > 0);
}

/** A message without the native objects that it came from. */
export function plain(message: Message): Record<string, unknown> {
  const { source: _, parts, ...rest } = message;
  return { ...rest, parts: parts.map(plainPart) };
}

export function plainPart(part: Part): Record<string, unknown> {
  if (part.type === "opaque") return { ...part };
  const { source: _, ...rest } = part;
  if (rest.type !== "tool-result") return rest;
  // The archive keeps that an output was cleared by its agent, and not when.
  const time = rest.time && { compacted: 0 };
  const output = rest.output.map((piece) => (piece.type === "opaque" ? piece : plainOutput(piece)));
  return { ...rest, ...(time && { time }), output };
}

function plainOutput(piece: ToolResultPart["output"][number]): Record<string, unknown> {
  if (piece.type === "opaque") return { type: piece.kind, value: piece.source.value };
  const { source: _, ...other } = piece;
  return other;
}

/** JSON with sorted keys, so that the order of keys does not count. */
function sorted(value: unknown): string {
  return JSON.stringify(value, (_, one: unknown) => {
    if (typeof one !== "object" || one === null || Array.isArray(one)) return one;
    const entries = Object.entries(one as Record<string, unknown>);
    return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
  });
}
