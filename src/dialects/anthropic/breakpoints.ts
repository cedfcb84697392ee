import { withFields } from "../native-message.ts";
import { isWireObject, type WireBlock, type WireObject } from "../wire.ts";
import { type AnthropicConversation, contentBlocks } from "./wire.ts";

/** A block as it goes out, and the native block that it stands for, if there is one. */
export interface PlacedBlock {
  readonly native: unknown;
  readonly block: WireBlock;
}

/** The API refuses a breakpoint on these. */
const UNMARKED: ReadonlySet<string> = new Set(["thinking", "redacted_thinking"]);

/**
 * The blocks of an edited message, in which no cache breakpoint is lost: one whose block is gone, or
 * was replaced, goes to what stands in its place, else to the block before, else to the one behind.
 * There are never more than before: where a neighbour has one, that is enough, and a block that is
 * sent in another message keeps its own.
 */
export function keepBreakpoints(
  before: readonly WireBlock[],
  placed: readonly PlacedBlock[],
  isSent: (block: WireBlock) => boolean,
): WireBlock[] {
  const blocks = placed.map(({ block }) => block);
  before.forEach((native, at) => {
    const breakpoint = breakpointOf(native);
    if (breakpoint === undefined) return;
    const own = placed.findIndex((one) => one.native === native);
    if (own < 0 && isSent(native)) return;
    const target = own >= 0 ? own : neighbourOf(at, before, { placed, blocks });
    const block = blocks[target];
    if (block === undefined || breakpointOf(block) !== undefined) return;
    blocks[target] = withFields(block, { cache_control: breakpoint });
  });
  return blocks;
}

/** The place whose block takes over from a native block that is gone; -1 where there is none. */
function neighbourOf(
  at: number,
  before: readonly WireBlock[],
  { placed, blocks }: { readonly placed: readonly PlacedBlock[]; readonly blocks: WireBlock[] },
): number {
  const behind = new Set<unknown>(before.slice(at + 1));
  const found = placed.findIndex(({ native }) => behind.has(native));
  const next = found < 0 ? placed.length : found;
  const canTake = (block: WireBlock): boolean => !UNMARKED.has(block.type);
  const earlier = blocks.slice(0, next).findLastIndex(canTake);
  return earlier >= 0 ? earlier : blocks.findIndex(canTake);
}

/** The breakpoint on a block or, of a tool result, the last one inside it. */
function breakpointOf(block: WireBlock): unknown {
  return blockBreakpoints(block).at(-1);
}

/** Every cache breakpoint of a conversation, those inside of tool results included. */
export function breakpointsOf({ system, messages }: AnthropicConversation): unknown[] {
  const contents = [system, ...messages.map(({ content }) => content)];
  return contents.flatMap(contentBlocks).flatMap(blockBreakpoints);
}

function blockBreakpoints(block: WireObject): unknown[] {
  const inner = block["type"] === "tool_result" ? contentBlocks(block["content"]) : [];
  return [...inner, block]
    .map((one) => one["cache_control"])
    .filter((breakpoint) => isWireObject(breakpoint));
}
