import { fileData } from "../message/file-data.ts";
import type { Message, Part } from "../message/index.ts";
import { utf8Length } from "../text/utf8.ts";
import { jsonText, messageTokens, partTokens, type TokenCounter } from "./count.ts";

/** The size of something, by the three limits that providers set on a request. */
export interface MessageSize {
  readonly tokens: number;
  /** UTF-8 bytes of its JSON on the wire, nearly; base64 included. */
  readonly bytes: number;
  /** The number of images, those in tool results included. */
  readonly images: number;
}

/**
 * Measures messages, each message object once: messages are immutable, so that a step costs only
 * the messages that are new. The memory of it goes with the messages.
 */
export interface MessageMeter {
  /** The tokens of one message. */
  tokens(message: Message): number;
  /** The tokens of all of them. */
  total(messages: readonly Message[]): number;
  /** Tokens, bytes and images of one message. */
  size(message: Message): MessageSize;
  /** Tokens, bytes and images of all of them. */
  totalSize(messages: readonly Message[]): MessageSize;
  /** The message was changed in place: it is measured anew. */
  forget(message: Message): void;
}

/** The bytes of a message or part around its content: braces, keys, ids. */
const FRAME_BYTES = 64;

/** A {@link MessageMeter} that counts with the given counter. */
export function createMessageMeter(counter: TokenCounter): MessageMeter {
  const memories: WeakMap<Message, number>[] = [];
  const remember = (measure: Measure): Measure => {
    const known = new WeakMap<Message, number>();
    memories.push(known);
    return (message) => {
      const size = known.get(message);
      if (size !== undefined) return size;
      const value = measure(message);
      known.set(message, value);
      return value;
    };
  };
  const tokensOf = remember((message) => messageTokens(message, counter));
  const bytesOf = remember(messageBytes);
  const imagesOf = remember(messageImages);
  const forget = (message: Message): void => memories.forEach((known) => known.delete(message));
  return { ...meterOf({ tokensOf, bytesOf, imagesOf }), forget };
}

/** The same meter in a provider's tokens, which are `factor` for each of its own. */
export function scaledMeter(meter: MessageMeter, factor: number): MessageMeter {
  if (factor === 1) return meter;
  const tokensOf: Measure = (message) => meter.tokens(message) * factor;
  const bytesOf: Measure = (message) => meter.size(message).bytes;
  const imagesOf: Measure = (message) => meter.size(message).images;
  return {
    ...meterOf({ tokensOf, bytesOf, imagesOf }),
    forget: (message) => meter.forget(message),
  };
}

type Measure = (message: Message) => number;

interface Measures {
  readonly tokensOf: Measure;
  readonly bytesOf: Measure;
  readonly imagesOf: Measure;
}

function meterOf({ tokensOf, bytesOf, imagesOf }: Measures): Omit<MessageMeter, "forget"> {
  const totalSize = (messages: readonly Message[]): MessageSize => ({
    tokens: sum(messages, tokensOf),
    bytes: sum(messages, bytesOf),
    images: sum(messages, imagesOf),
  });
  return {
    tokens: tokensOf,
    total: (messages) => sum(messages, tokensOf),
    size: (message) => totalSize([message]),
    totalSize,
  };
}

function sum(messages: readonly Message[], measure: Measure): number {
  let total = 0;
  for (const message of messages) total += measure(message);
  return total;
}

/** The least that a message takes. */
const EMPTY: Message = { role: "tool", parts: [] };

/**
 * The tokens of one part of a message. Most messages have only one, and the meter knows them; where
 * there are others, this one is counted.
 */
export function tokensOfPart(
  message: Message,
  part: Part,
  { meter, counter }: { readonly meter: MessageMeter; readonly counter: TokenCounter },
): number {
  if (message.parts.length !== 1) return partTokens(part, counter);
  return meter.tokens(message) - meter.tokens(EMPTY);
}

/** The size of one part. */
export function partSize(part: Part, counter: TokenCounter): MessageSize {
  return { tokens: partTokens(part, counter), bytes: partBytes(part), images: partImages(part) };
}

function messageBytes(message: Message): number {
  return message.parts.reduce((total, part) => total + partBytes(part), FRAME_BYTES);
}

function partBytes(part: Part): number {
  switch (part.type) {
    case "text":
      return FRAME_BYTES + jsonBytes(part.text);
    case "reasoning":
      return FRAME_BYTES + jsonBytes(part.text) + (part.signature?.length ?? 0);
    case "file":
      return FRAME_BYTES + (fileData(part)?.length ?? 0) + (part.url?.length ?? 0);
    case "tool-call":
      return FRAME_BYTES + part.toolName.length + jsonBytes(jsonText(part.input));
    case "tool-result":
      return part.output.reduce((total, piece) => total + partBytes(piece), FRAME_BYTES);
    case "opaque":
      return utf8Length(jsonText(part.source.value));
  }
}

function messageImages(message: Message): number {
  return message.parts.reduce((total, part) => total + partImages(part), 0);
}

function partImages(part: Part): number {
  if (part.type === "file") return part.mediaType.startsWith("image/") ? 1 : 0;
  if (part.type !== "tool-result") return 0;
  return part.output.reduce((total, piece) => total + partImages(piece), 0);
}

/** No request has so long a text, and no string need hold all its escapes. */
const MOST_UNITS = 50_000_000;

/** UTF-8 bytes of a text inside a JSON string, escapes included. */
export function jsonBytes(text: string): number {
  return text.length > MOST_UNITS ? utf8Length(text) : utf8Length(JSON.stringify(text)) - 2;
}
