import type { Archive } from "../../archive/archive.ts";
import { type Fields, isRecord } from "../../core/text/json.ts";
import { outputLimits, type ToolLimitOverrides } from "../../core/truncate/limits.ts";
import { truncateAndArchive } from "../../tools/truncate-and-archive.ts";
import { shareLimits, truncateValue } from "../../tools/truncate-value.ts";
import type { HookLimits } from "../hook-options.ts";

/** Facts about a response beside itself. */
export interface ResponseFacts {
  readonly toolName: string;
  readonly input: unknown;
  /** For every tool, above all others. */
  readonly limits: HookLimits;
  readonly toolLimits?: ToolLimitOverrides;
  /** Of the session. */
  readonly archive: Archive;
}

/**
 * The texts that a model gets of a tool's response, by the tool's name: keys from the outside in,
 * `*` for every item of a list, `[]` for a list of lines. Other fields are not for the model (the
 * old file in the response of an edit), or are of no size. Seen in Claude Code 2.1.330, whose own
 * schemas an answer must fit, and in sessions of 1.0 to 2.1.
 */
const TEXTS: Readonly<Record<string, readonly string[]>> = {
  Bash: ["stdout", "stderr"],
  PowerShell: ["stdout", "stderr"],
  BashOutput: ["stdout", "stderr"],
  TaskOutput: ["task.output"],
  Read: ["file.content"],
  Glob: ["filenames.[]"],
  Grep: ["content", "filenames.[]"],
  WebFetch: ["result"],
  WebSearch: ["results.*"],
  ReadMcpResourceTool: ["contents.*.text"],
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

/** The file of an output of which Claude Code shows the first 2 KB, and how many bytes it has. */
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
  { toolName, input, limits, toolLimits, archive }: ResponseFacts,
): Promise<Fields> {
  const { direction, limits: own } = outputLimits({ toolName, input, ...limits }, toolLimits);
  const [{ createReadStream }, { pipeline }, { createSpill }] = await Promise.all([
    import("node:fs"),
    import("node:stream/promises"),
    import("../../spill/create-spill.ts"),
  ]);
  const maxBytes = Math.min(own.maxBytes, SAVED_LIMIT);
  const spill = createSpill({ archive, direction, limits: { ...own, maxBytes } });
  await pipeline(createReadStream(file), spill.input);
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
): Promise<unknown> {
  const keys = paths.map((path) => path.split("."));
  const texts = keys.flatMap((each) => textsAt(response, each));
  const meta = { toolName: facts.toolName, input: facts.input };
  const { limits, direction } = outputLimits({ ...meta, ...facts.limits }, facts.toolLimits);
  const shares = shareLimits(texts, limits);
  const cut: string[] = [];
  for (const [index, text] of texts.entries()) {
    const own = { ...meta, ...shares[index], direction };
    cut.push((await truncateAndArchive(text, own, { archive: facts.archive })).text);
  }
  if (cut.every((text, index) => text === texts[index])) return response;
  return keys.reduce<unknown>((value, each) => withTexts(value, each, cut), response);
}

function textsAt(value: unknown, [key, ...rest]: readonly string[]): readonly string[] {
  if (key === undefined) return typeof value === "string" ? [value] : [];
  if (key === "[]") return isLines(value) ? [value.join("\n")] : [];
  if (key === "*") return Array.isArray(value) ? value.flatMap((one) => textsAt(one, rest)) : [];
  return isRecord(value) ? textsAt(value[key], rest) : [];
}

/** A value with the next of these texts wherever {@link textsAt} found one; takes them from the list. */
function withTexts(value: unknown, [key, ...rest]: readonly string[], texts: string[]): unknown {
  if (key === undefined) return typeof value === "string" ? texts.shift() : value;
  if (key === "[]") return isLines(value) ? texts.shift()?.split("\n") : value;
  if (key === "*")
    return Array.isArray(value) ? value.map((one) => withTexts(one, rest, texts)) : value;
  return isRecord(value) && key in value
    ? { ...value, [key]: withTexts(value[key], rest, texts) }
    : value;
}

/** Most tools that list files say so by an empty list where there is nothing. */
function isLines(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === "string");
}

/** A list of content blocks, or the text that some servers give instead. */
async function truncateBlocks(value: unknown, facts: ResponseFacts): Promise<unknown> {
  if (typeof value !== "string" && !(Array.isArray(value) && value.every(isBlock))) return value;
  const { toolName, input, limits, toolLimits, archive } = facts;
  return truncateValue(value, { toolName, input, ...limits }, { archive, toolLimits });
}

function isBlock(value: unknown): boolean {
  return isRecord(value) && typeof value["type"] === "string";
}
