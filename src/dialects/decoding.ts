import type {
  FilePart,
  Message,
  OpaquePart,
  OutputPart,
  Part,
  TextPart,
} from "../core/message/index.ts";
import type { Decoder } from "./dialect.ts";
import { type Draft, fromNative } from "./native-message.ts";
import {
  type Block,
  describeValue,
  invalidWire,
  isWireBlock,
  isWireObject,
  requiredString,
  type WireObject,
  type WirePlace,
} from "./wire.ts";

type DecodeOne = (native: WireObject, place: WirePlace) => readonly Draft[];

/** A decoder that takes native messages one by one, each in constant time. */
export function createDecoder<Native>(
  dialect: string,
  decodeOne: DecodeOne,
): (native: Native) => readonly Message[] {
  let index = 0;
  return (native) => {
    const place = { dialect, index };
    if (!isWireObject(native)) {
      throw invalidWire(place, `is ${describeValue(native)} and no object`);
    }
    const drafts = decodeOne(native, place);
    index += 1;
    return fromNative(dialect, native, drafts);
  };
}

/** The ways into a dialect whose conversation is a list of messages. */
export function listDialect<Native>(name: string, createDecoder: () => Decoder<Native>) {
  return {
    name,
    createDecoder,
    decode(conversation: readonly Native[]): readonly Message[] {
      if (!Array.isArray(conversation)) {
        const problem = `is ${describeValue(conversation)} and no array`;
        throw invalidWire({ dialect: name }, problem);
      }
      const decode = createDecoder();
      const messages = conversation.flatMap((native: Native) => decode(native));
      return [...messages, ...(decode.open?.() ?? [])];
    },
  };
}

/** Content as parts: a text is one text part, a list one part for each block. */
export function decodeContent<Decoded extends Part>(
  content: unknown,
  place: WirePlace,
  decode: (block: Block) => Decoded,
): (Decoded | TextPart)[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  if (!Array.isArray(content)) {
    const found = describeValue(content);
    throw invalidWire(place, `needs a string or an array in "content", not ${found}`);
  }
  return content.map((block: unknown) => {
    if (isWireBlock(block)) return decode(block);
    throw invalidWire(place, "has a content block without a type");
  });
}

interface BlockReaders {
  readonly file: (block: WireObject) => FilePart | undefined;
  /** The id that joins a block that we do not know with another one. */
  readonly link?: (block: Block) => string | undefined;
}

/** A block as a text or a file, else as an opaque part. */
export function decodeBlock(block: Block, place: WirePlace, readers: BlockReaders): OutputPart {
  if (block.type !== "text") return fileOrOpaque(block, place.dialect, readers);
  const text = requiredString(block, "text", place);
  return { type: "text", text, source: { dialect: place.dialect, value: block } };
}

export function fileOrOpaque(
  block: Block,
  dialect: string,
  { file: read, link }: BlockReaders,
): FilePart | OpaquePart {
  const source = { dialect, value: block };
  const file = read(block);
  if (file !== undefined) return { ...file, source };
  return { type: "opaque", kind: block.type, link: link?.(block), source };
}
