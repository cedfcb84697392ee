import { createHash, createHmac } from "node:crypto";
import { canonical, type JsonObject, objects, text } from "../json.ts";
import type { Problem } from "../refusal.ts";
import { blocksOf, type Placed, turnsOf, withoutBreakpoints } from "./turns.ts";

/**
 * Signed thinking, as models with preserved thinking have it: a signature holds a hash of all that
 * stood before the block, of its text and of the thinking before it, under a MAC. Breakpoints do
 * not count as content, and thinking may be left out from the front, not from between.
 */
export interface Place {
  /** Hash of tools, system and blocks before this place, thinking left out. */
  readonly prefix: string;
  /** Id of the last thinking block before this place; empty if there is none. */
  readonly previous: string;
}

const PREFIX_BYTES = 12;
const ID_BYTES = 6;
const MAC_BYTES = 8;
const SIGNED_BYTES = PREFIX_BYTES + 2 * ID_BYTES;

export interface ThinkingCheck {
  /** Where the answer's first block will stand. */
  readonly end: Place;
  /** The first block that is refused. */
  readonly problem: Problem | undefined;
  /** Places of the blocks that were left out because of `drop_block`. */
  readonly dropped: readonly string[];
}

export interface ThinkingRules {
  readonly secret: string;
  /** A changed prefix is an error, makes the block fall out, or does not matter. */
  readonly onMismatch: "error" | "drop" | "ignore";
}

export function checkThinking(body: JsonObject, rules: ThinkingRules): ThinkingCheck {
  let place = startOf(body);
  let isBroken = false;
  const dropped: string[] = [];
  for (const turn of turnsOf(objects(body["messages"]))) {
    for (const placed of turn.blocks) {
      if (placed.block["type"] !== "thinking") {
        place = after(place, turn.role, placed.block);
        continue;
      }
      const seal = open(placed, rules.secret);
      if (typeof seal === "string") return { end: place, problem: { message: seal }, dropped };
      isBroken ||= seal.prefix !== place.prefix || !["", seal.previous].includes(place.previous);
      place = { ...place, previous: seal.id };
      if (!isBroken || rules.onMismatch === "ignore") continue;
      if (rules.onMismatch === "error") return { end: place, problem: bound(placed), dropped };
      dropped.push(placed.at);
    }
  }
  return { end: place, problem: undefined, dropped };
}

/** The signature of thinking at this place, and the place behind it. */
export function sign(
  place: Place,
  thinking: string,
  secret: string,
): { readonly signature: string; readonly next: Place } {
  const signed = Buffer.concat([
    Buffer.from(place.prefix, "base64url"),
    place.previous === "" ? Buffer.alloc(ID_BYTES) : Buffer.from(place.previous, "base64url"),
    hashOf(thinking),
  ]);
  const bytes = Buffer.concat([signed, macOf(signed, secret)]);
  const signature = bytes.toString("base64url");
  return { signature, next: { ...place, previous: idOf(bytes) } };
}

/** The place behind a block of a message. */
export function after(place: Place, role: string, block: JsonObject): Place {
  return {
    ...place,
    prefix: chain(place.prefix, `${role} ${canonical(withoutBreakpoints(block))}`),
  };
}

function startOf(body: JsonObject): Place {
  const fixed = [
    ...objects(body["tools"]).map((tool) => ["tool", tool] as const),
    ...blocksOf(body["system"]).map((block) => ["system", block] as const),
  ];
  const start: Place = { prefix: chain("", "start"), previous: "" };
  return fixed.reduce((place, [role, block]) => after(place, role, block), start);
}

function chain(before: string, next: string): string {
  const hash = createHash("sha256").update(before).update("\0").update(next).digest();
  return hash.subarray(0, PREFIX_BYTES).toString("base64url");
}

interface Seal {
  readonly prefix: string;
  readonly previous: string;
  readonly id: string;
}

/** What a signature says, or why the block is refused whatever stands before it. */
function open({ block, at }: Placed, secret: string): Seal | string {
  const bytes = Buffer.from(text(block["signature"]), "base64url");
  const signed = bytes.subarray(0, SIGNED_BYTES);
  const mac = bytes.subarray(SIGNED_BYTES, SIGNED_BYTES + MAC_BYTES);
  if (!mac.equals(macOf(signed, secret)))
    return `${at}: Invalid \`signature\` in \`thinking\` block`;
  const thinking = text(block["thinking"]);
  if (thinking !== "" && !signed.subarray(PREFIX_BYTES + ID_BYTES).equals(hashOf(thinking))) {
    return `${at}: \`thinking\` or \`redacted_thinking\` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.`;
  }
  const previous = signed.subarray(PREFIX_BYTES, PREFIX_BYTES + ID_BYTES);
  return {
    prefix: signed.subarray(0, PREFIX_BYTES).toString("base64url"),
    previous: previous.every((byte) => byte === 0) ? "" : previous.toString("base64url"),
    id: idOf(bytes),
  };
}

function bound({ at }: Placed): Problem {
  return {
    message: `${at}: Invalid \`signature\` in \`thinking\` block. The block is bound to a different conversation. Remove the block, or set \`thinking.block_binding.prefix_mismatch_behavior\` to "drop_block".`,
  };
}

function hashOf(thinking: string): Buffer {
  return createHash("sha256").update(thinking).digest().subarray(0, ID_BYTES);
}

function macOf(signed: Buffer, secret: string): Buffer {
  return createHmac("sha256", secret).update(signed).digest().subarray(0, MAC_BYTES);
}

function idOf(bytes: Buffer): string {
  return bytes.subarray(SIGNED_BYTES, SIGNED_BYTES + ID_BYTES).toString("base64url");
}
