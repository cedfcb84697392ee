import { sha256Hex } from "../archive/digest.ts";
import { fileData } from "../core/message/file-data.ts";
import { toJson } from "../core/text/json.ts";
import type { Message, Part } from "../core/message/index.ts";

/** Hex digits of a digest in a key. */
const DIGITS = 16;

/**
 * Names lists by what they say. The key of a list is made of the key of the list without its last
 * message and of that message's print, so that a list that goes on costs only what is new.
 */
export interface Chain {
  /** The key of a list that goes on by one message; the key of an empty list is `""`. */
  next(key: string, message: Message): string;
  keyOf(messages: readonly Message[]): string;
  /** The message was changed in place: what was known of it is not so any more. */
  forget(message: Message): void;
}

export function createChain(): Chain {
  const prints = new WeakMap<Message, string>();
  const printOf = (message: Message): string => {
    const known = prints.get(message);
    if (known !== undefined) return known;
    const print = sha256Hex(messageContent(message)).slice(0, DIGITS);
    prints.set(message, print);
    return print;
  };
  const add = (length: number, message: Message): number => mix(fill(length, printOf(message)));
  return {
    next: (key, message) => written(add(fill(0, key), message)),
    keyOf: (messages) => written(messages.reduce(add, 0)),
    forget: (message) => void prints.delete(message),
  };
}

/** A key, and the print behind it: a key of many messages is made without a text for each of them. */
const units = new Uint8Array(2 * DIGITS);

/** Puts a text there from `start` on; returns its end. */
function fill(start: number, text: string): number {
  for (let at = 0; at < text.length; at++) units[start + at] = text.charCodeAt(at);
  return start + text.length;
}

function written(length: number): string {
  return String.fromCharCode(...units.subarray(0, length));
}

/**
 * Mixes so many units to the 64 bits of a key, in two lanes of 32 that are stirred together at the end
 * (as in cyrb53 and MurmurHash3); returns the key's length. Such a mix alone could be forged, but all
 * that it sees of a message is a SHA-256 digest: whoever wants another list under a given key has to
 * find a text of a given digest.
 */
function mix(length: number): number {
  let [high, low] = [0xdeadbeef, 0x41c6ce57];
  for (let at = 0; at < length; at++) {
    const unit = units[at] as number;
    high = Math.imul(high ^ unit, 0x9e3779b1);
    low = Math.imul(low ^ unit, 0x5f356495);
  }
  putHex(0, stirred(high) ^ spread(low));
  putHex(DIGITS / 2, stirred(low) ^ spread(high));
  return DIGITS;
}

function stirred(lane: number): number {
  return Math.imul(lane ^ (lane >>> 16), 0x85ebca6b);
}

function spread(lane: number): number {
  return Math.imul(lane ^ (lane >>> 13), 0xc2b2ae35);
}

function putHex(start: number, lane: number): void {
  for (let at = 0; at < DIGITS / 2; at++) {
    const digit = (lane >>> (28 - 4 * at)) & 15;
    units[start + at] = digit + (digit < 10 ? 48 : 87);
  }
}

/** Tells whether two messages say the same; most that do are one object, most others differ at a glance. */
export function isSameMessage(one: Message | undefined, other: Message | undefined): boolean {
  if (one === other) return true;
  if (one === undefined || other === undefined) return false;
  if (one.parts.length !== other.parts.length) return false;
  if (one.parts.some((part, index) => isOther(part, other.parts[index]))) return false;
  return messageContent(one) === messageContent(other);
}

function isOther(one: Part, other: Part | undefined): boolean {
  if (one.type !== other?.type) return true;
  return one.type === "text" && other.type === "text" && one.text.length !== other.text.length;
}

/**
 * The content of a message as one text, also after a way through a format that keeps nothing else:
 * kind, metadata, times, usage and native sources do not count, and a system message may have
 * become a user message. Each piece stands behind its length, so that none can pass for two; long
 * texts are not written as JSON, which would cost more than the digest.
 */
function messageContent({ role, parts }: Message): string {
  return framed(role === "system" ? "user" : role) + contentsOf(parts);
}

/** Put together without a copy: whoever reads the whole makes the only one. */
function contentsOf(parts: readonly Part[]): string {
  return parts.reduce((content, part) => content + contentOf(part), "");
}

function contentOf(part: Part): string {
  switch (part.type) {
    case "text":
      return `text ${framed(part.text)}`;
    case "reasoning":
      return `reasoning ${framed(part.text)}${framed(part.signature)}`;
    case "file":
      return `file ${framed(part.mediaType)}${framed(fileData(part) ?? part.url)}`;
    case "tool-call":
      return `call ${framed(part.toolCallId)}${framed(part.toolName)}${framed(toJson(part.input))}`;
    case "tool-result":
      return `result ${framed(part.toolCallId)}${framed(contentsOf(part.output))}`;
    case "opaque":
      return `opaque ${framed(toJson(part.source.value))}`;
  }
}

function framed(text: string | null | undefined): string {
  return typeof text !== "string" ? "-" : `${text.length}:${text}`;
}
