import type { Archive } from "../../archive/archive.ts";
import { type Fields, fieldsOf, isRecord } from "../../core/text/json.ts";
import { outputLimits } from "../../core/truncate/limits.ts";
import { truncateAndArchive } from "../../tools/truncate-and-archive.ts";
import { shareLimits, truncateValue } from "../../tools/truncate-value.ts";
import type { HookLimits } from "../hook-options.ts";

/** What is known about a response beside itself. */
export interface ResponseFacts {
  readonly toolName: string;
  readonly input: unknown;
  readonly limits: HookLimits;
  /** Of the session. */
  readonly archive: Archive;
}

/**
 * Where the texts are that a model gets of a tool's response, by the tool's name: keys from the
 * outside in. What is not here is not for the model (the old file in the response of an edit), or is
 * of no size. Seen in Claude Code 2.1.330 and in sessions of 1.0 to 2.1.
 */
const TEXTS: Readonly<Record<string, readonly string[]>> = {
  Bash: ["stdout", "stderr"],
  PowerShell: ["stdout", "stderr"],
  BashOutput: ["stdout", "stderr"],
  TaskOutput: ["task.output"],
  Read: ["file.content"],
  Grep: ["content"],
  WebFetch: ["result"],
};

/** The same for lists of content blocks. */
const BLOCKS: Readonly<Record<string, string>> = { Task: "content", Agent: "content" };

const MCP_TOOL = /^mcp__/;

/**
 * A tool's response with texts that keep the limits, together; the originals are in the archive and
 * the texts name them. Everything else in it is as it was, and a response of a shape that nobody
 * knows is the same object.
 */
export async function truncateResponse(response: unknown, facts: ResponseFacts): Promise<unknown> {
  const { toolName: name } = facts;
  if (MCP_TOOL.test(name)) return truncateBlocks(response, facts);
  const blocks = Object.hasOwn(BLOCKS, name) ? BLOCKS[name] : undefined;
  if (blocks !== undefined && isRecord(response)) {
    const content = await truncateBlocks(response[blocks], facts);
    return content === response[blocks] ? response : { ...response, [blocks]: content };
  }
  if (isRecord(response) && "stdout" in response && typeof response[SAVED] === "string") {
    return truncateSaved(response, response[SAVED], facts);
  }
  const texts = Object.hasOwn(TEXTS, name) ? TEXTS[name] : undefined;
  if (texts === undefined || !isRecord(response) || isPicture(response)) return response;
  return truncateTexts(response, texts, facts);
}

/** Where Claude Code keeps an output of which it shows the first 2 KB, and how many bytes it has. */
const SAVED = "persistedOutputPath";
const SAVED_BYTES = "persistedOutputSize";
/** Of such an output about as much is shown, but of both ends. */
const SAVED_LIMIT = 4_000;

/**
 * An output that was so large that Claude Code wrote it to a file: it has a handle like every other,
 * and its end is shown too, where it says how things came out.
 */
async function truncateSaved(
  response: Fields,
  file: string,
  { toolName, input, limits, archive }: ResponseFacts,
): Promise<Fields> {
  const { direction, limits: own } = outputLimits({ toolName, input, ...limits });
  const [{ createReadStream }, { pipeline }, { createSpill }] = await Promise.all([
    import("node:fs"),
    import("node:stream/promises"),
    import("../../spill/create-spill.ts"),
  ]);
  const maxBytes = Math.min(own.maxBytes, SAVED_LIMIT);
  const spill = createSpill({ archive, direction, limits: { ...own, maxBytes } });
  await pipeline(createReadStream(file), spill.node);
  const { text, entry } = await spill.finish();
  // Without an original of ours, theirs must stay named.
  if (entry === undefined) return response;
  const { [SAVED]: _, [SAVED_BYTES]: __, ...rest } = response;
  return { ...rest, stdout: text };
}

/** The output of a command that printed an image holds its bytes. */
function isPicture({ isImage }: Fields): boolean {
  return isImage === true;
}

async function truncateTexts(
  response: Fields,
  paths: readonly string[],
  facts: ResponseFacts,
): Promise<Fields> {
  const there = paths.flatMap((path) => {
    const text = textAt(response, path.split("."));
    return text === undefined ? [] : [{ path, text }];
  });
  const meta = { toolName: facts.toolName, input: facts.input };
  const { limits } = outputLimits({ ...meta, ...facts.limits });
  const shares = shareLimits(
    there.map(({ text }) => text),
    limits,
  );
  let changed = response;
  for (const [index, { path, text }] of there.entries()) {
    const own = { ...meta, ...shares[index] };
    const cut = await truncateAndArchive(text, own, { archive: facts.archive });
    if (cut.text !== text) changed = withText(changed, path.split("."), cut.text);
  }
  return changed;
}

function textAt(value: unknown, [key, ...rest]: readonly string[]): string | undefined {
  if (key === undefined) return typeof value === "string" ? value : undefined;
  return isRecord(value) ? textAt(value[key], rest) : undefined;
}

function withText(holder: Fields, [key = "", ...rest]: readonly string[], text: string): Fields {
  return {
    ...holder,
    [key]: rest.length === 0 ? text : withText(fieldsOf(holder[key]), rest, text),
  };
}

/** A list of content blocks, or the text that some servers give instead. */
async function truncateBlocks(value: unknown, facts: ResponseFacts): Promise<unknown> {
  if (typeof value !== "string" && !(Array.isArray(value) && value.every(isBlock))) return value;
  const { toolName, input, limits, archive } = facts;
  return truncateValue(value, { toolName, input, ...limits }, { archive });
}

function isBlock(value: unknown): boolean {
  return isRecord(value) && typeof value["type"] === "string";
}
