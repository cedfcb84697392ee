import { isContextError } from "../../core/error.ts";
import type { Message } from "../../core/message/index.ts";
import type { Decoder } from "../../dialects/dialect.ts";
import { createCounter, type TranscriptCounter } from "../counts.ts";
import type {
  Conversation,
  Detection,
  DocumentFormat,
  DocumentState,
  Reading,
  RecordReader,
  RecordsFormat,
} from "../transcript.ts";
import { createWarnings, type Warnings } from "../warnings.ts";
import {
  aboutConversation,
  isPlainMessage,
  plainConversations,
  wrappedConversation,
  type PlainConversation,
} from "./plain-conversation.ts";

/** How the native messages of one dialect are told and read. */
export interface PlainStyle {
  readonly name: string;
  readonly title: string;
  /** Whether a conversation is of this dialect, or why not. */
  detect(conversation: PlainConversation): Detection;
  /** A decoder that takes native messages one by one; it may throw `ContextError`. */
  createDecoder(): Decoder;
  /** The messages that fields beside the list amount to. */
  decodeWrapper?(wrapper: PlainConversation["wrapper"]): readonly Message[];
}

/** The two shapes in which a list of messages is kept: one document, or lines. */
export interface PlainFormats {
  readonly document: DocumentFormat;
  readonly records: RecordsFormat;
}

/** What a reader of plain messages gathers. */
interface Gathering {
  readonly style: PlainStyle;
  readonly warnings: Warnings;
  readonly counter: TranscriptCounter;
  readonly conversations: Conversation[];
  natives: number;
}

const NO_MESSAGES = "there is no list of messages with a role and content";

/**
 * The formats of one dialect's plain messages. The dialect decodes them, so each message carries
 * its native object and can be written back untouched. What the dialect refuses is left out with a
 * warning. Messages are counted as the file has them, whatever the dialect makes of one.
 */
export function plainFormats(style: PlainStyle): PlainFormats {
  const { name, title } = style;
  const detect = (conversations: readonly PlainConversation[]): Detection => {
    const detections = conversations.map((conversation) => style.detect(conversation));
    return detections.includes(true) || (detections[0] ?? NO_MESSAGES);
  };
  return {
    document: {
      name,
      title,
      shape: "document",
      detect: (document) => detect(plainConversations(document)),
      read: (document, state) => readDocument(style, document, state),
    },
    records: {
      name,
      title: `${title}, by lines`,
      shape: "records",
      detect: (records) => detect(recordConversations(records)),
      open: () => openReader(style),
    },
  };
}

function readDocument(
  style: PlainStyle,
  document: unknown,
  { isTorn = false }: DocumentState = {},
): Reading {
  const gathering = startGathering(style);
  const found = plainConversations(document, (at) => {
    gathering.warnings.add(`Entry ${at + 1} of the document is no conversation; it was left out.`);
  });
  for (const [index, conversation] of found.entries()) {
    const isLast = isTorn && index === found.length - 1;
    gather(gathering, isLast ? withoutLast(conversation) : conversation);
  }
  return toReading(gathering);
}

function withoutLast(conversation: PlainConversation): PlainConversation {
  return { ...conversation, messages: conversation.messages.slice(0, -1) };
}

function recordConversations(records: readonly unknown[]): readonly PlainConversation[] {
  const messages = records.filter(isPlainMessage);
  const wrapped = records.flatMap((value) => wrappedConversation(value) ?? []);
  return messages.length === 0 ? wrapped : [...wrapped, { messages, wrapper: {} }];
}

/** Lines are messages of one conversation, or whole conversations (as for fine-tuning). */
function openReader(style: PlainStyle): RecordReader {
  const gathering = startGathering(style);
  const decode = createSafeDecoder(gathering);
  const messages: Message[] = [];
  return {
    record(value, line) {
      const wrapped = wrappedConversation(value);
      if (wrapped === undefined) messages.push(...decode.next(value, line));
      else gather(gathering, wrapped, line);
    },
    finish() {
      messages.push(...decode.rest());
      if (messages.length > 0) gathering.conversations.push({ messages, timeline: [] });
      return toReading(gathering);
    },
  };
}

function gather(gathering: Gathering, conversation: PlainConversation, line?: number): void {
  const { style, counter, conversations } = gathering;
  const decode = createSafeDecoder(gathering);
  const leading = style.decodeWrapper?.(conversation.wrapper) ?? [];
  for (const message of leading) counter.add(message);
  gathering.natives += leading.length;
  const decoded = conversation.messages.flatMap((native) => decode.next(native, line));
  const messages = [...decoded, ...decode.rest()];
  const about = aboutConversation(conversation);
  conversations.push({ ...about, messages: [...leading, ...messages], timeline: [] });
}

/** A decoder that counts, and that warns of a message where the dialect's own would throw. */
interface SafeDecoder {
  next(native: unknown, line?: number): readonly Message[];
  /** What was still open at the end of the list. */
  rest(): readonly Message[];
}

function createSafeDecoder(gathering: Gathering): SafeDecoder {
  const { style, counter, warnings } = gathering;
  const decode = style.createDecoder();
  const counted = (messages: readonly Message[]): readonly Message[] => {
    for (const message of messages) counter.add(message);
    return messages;
  };
  return {
    next(native, line) {
      try {
        const messages = decode(native);
        gathering.natives += 1;
        return counted(messages);
      } catch (error) {
        if (!isContextError(error)) throw error;
        warnings.add(`A message was left out: ${error.message}`, line);
        return [];
      }
    },
    rest: () => counted(decode.open?.() ?? []),
  };
}

function startGathering(style: PlainStyle): Gathering {
  const warnings = createWarnings();
  return { style, warnings, counter: createCounter(), conversations: [], natives: 0 };
}

function toReading({ counter, conversations, warnings, natives }: Gathering): Reading {
  const counts = { ...counter.counts(), messages: natives };
  return { conversations, counts, warnings: warnings.list() };
}
