import { recallTools } from "../archive/recall-tools.ts";
import type { Archive } from "../archive/archive.ts";
import { isHandle } from "../core/message/handle.ts";
import { fieldsOf } from "../core/text/json.ts";
import type { ContextReport } from "../context/index.ts";
import { isWireObject, objectsIn, parseInput, type WireObject } from "../dialects/wire.ts";
import type { Call, Groups } from "./groups.ts";

/**
 * Other gateways ask this of a service beside them, before they send a request: LiteLLM and Portkey do
 * so. A text that stands for more names it as `hash=` and 24 digits, which they look for.
 */
export interface Compressed {
  readonly messages: readonly unknown[];
  readonly tokens_before: number;
  readonly tokens_after: number;
  readonly tokens_saved: number;
  readonly compression_ratio: number;
  readonly transforms_applied: readonly string[];
  readonly ccr_hashes: readonly string[];
}

/** The messages as they should go on; `undefined` for what is no list of messages. */
export async function compressed(
  { headers, url, text }: Pick<Call, "headers" | "url"> & { readonly text: string },
  groups: Groups,
): Promise<Compressed | undefined> {
  const params = parseInput(text);
  if (!isWireObject(params) || !Array.isArray(params["messages"])) return undefined;
  const given: readonly unknown[] = params["messages"];
  const protocol = given.some(hasBlocks) ? "anthropic" : "openai-chat";
  const group = await groups.of({ protocol, headers, params, url });
  if (group === undefined) return undefined;
  const opened = group.open(params);
  let report: ContextReport | undefined;
  const stop = opened.context.on("prepared", (told) => (report = told));
  const sending = await opened.prepare({});
  stop();
  const own = new Set([...given, ...(group.protocol.messagesOf(opened.given) ?? [])]);
  const sent = group.protocol.messagesOf(sending.params) ?? given;
  const messages = sent.map((message) =>
    own.has(message) || !isWireObject(message)
      ? message
      : { ...message, content: named(message["content"]) },
  );
  const { before, after } = report?.tokens ?? { before: 0, after: 0 };
  const hashes = new Set(JSON.stringify(messages).match(HASH) ?? []);
  return {
    messages,
    tokens_before: before,
    tokens_after: after,
    tokens_saved: Math.max(0, before - after),
    compression_ratio: before === 0 ? 1 : after / before,
    transforms_applied: report === undefined || report.action === "none" ? [] : [report.action],
    ccr_hashes: [...hashes].map((hash) => hash.slice("hash=".length)),
  };
}

/** Only Anthropic has its calls and results among the parts of a text. */
function hasBlocks(message: unknown): boolean {
  const blocks = objectsIn(fieldsOf(message)["content"]);
  return blocks.some(({ type }) => /^tool_(?:use|result)$/.test(String(type)));
}

const HANDLE = /\b(?:out|run|head)_[0-9a-f]{16}\b/g;
const HASH = /hash=[0-9a-f]{24}/g;
const KINDS = ["out", "run", "head"] as const;

/** A handle as they write one: its kind, and its digits. */
function hashOf(handle: string): string {
  const [kind = "", digits = ""] = handle.split("_");
  return `${KINDS.indexOf(kind as (typeof KINDS)[number])}${"0".repeat(7)}${digits}`;
}

function handleOf(hash: string): string | undefined {
  const [, kind, digits] = /^(\d)0{7}([0-9a-f]{16})$/.exec(hash) ?? [];
  const handle = `${KINDS[Number(kind ?? -1)]}_${digits}`;
  return isHandle(handle) ? handle : undefined;
}

/** The content of an edited message, which names the originals of each of its texts in their words, too. */
function named(content: unknown): unknown {
  if (typeof content === "string") {
    const handles = new Set(content.match(HANDLE) ?? []);
    const hashes = [...handles].map((handle) => `hash=${hashOf(handle)}`);
    return hashes.length === 0 ? content : `${content}\n[originals: ${hashes.join(" ")}]`;
  }
  if (!Array.isArray(content)) return content;
  return content.map((part: unknown) => {
    if (!isWireObject(part)) return part;
    const { text, content: inner } = part;
    return {
      ...part,
      ...(text !== undefined && { text: named(text) }),
      ...(inner !== undefined && { content: named(inner) }),
    };
  });
}

interface Retrieve {
  readonly hash: string;
  readonly query: string | undefined;
  /** The beginning of the names of the conversations that may be looked into. */
  readonly prefix: string;
}

/** A part of an original that fits into an answer, or what a text is found in. */
export async function retrieved(
  { hash, query, prefix }: Retrieve,
  everyOf: (prefix: string) => Archive,
): Promise<WireObject | undefined> {
  const handle = handleOf(hash);
  const archive = everyOf(prefix);
  if (handle === undefined || !(await archive.has(handle))) return undefined;
  const { recall, search_archive } = recallTools(onlyOf(archive, handle));
  const original_content =
    query === undefined
      ? await recall.execute({ handle })
      : await search_archive.execute({ pattern: query, context: 3 });
  return { hash, original_content };
}

function onlyOf(archive: Archive, handle: string): Archive {
  return {
    ...archive,
    list: async () => (await archive.list()).filter((entry) => entry.handle === handle),
  };
}
