import { isContextError } from "../../core/error.ts";
import type { Message } from "../../core/message/index.ts";
import type { Decoder } from "../../dialects/dialect.ts";
import {
  type Conversation,
  createWarnings,
  type DocumentReader,
  type RecordsReader,
  type DocumentState,
  type Reading,
  type RecordReader,
  type Warnings,
} from "../transcript.ts";
import {
  aboutConversation,
  type PlainConversation,
  plainConversations,
  wrappedConversation,
} from "./plain-conversation.ts";

/** How the native messages of one dialect are told and read. */
export interface PlainStyle {
  /** A decoder that checks what it is given; it may throw `ContextError`. */
  createDecoder(): Decoder;
  /** The messages that fields beside the list amount to. */
  decodeWrapper?(wrapper: PlainConversation["wrapper"]): readonly Message[];
}

/** What a reader of plain messages gathers. */
interface Gathering {
  readonly style: PlainStyle;
  readonly warnings: Warnings;
  readonly conversations: Conversation[];
}

/**
 * Reads one dialect's plain messages. The dialect decodes them, so each message carries its native
 * object and can be written back untouched. What the dialect refuses is left out with a warning.
 */
export function plainReader(style: PlainStyle): DocumentReader & RecordsReader {
  return {
    read: (document, state) => readDocument(style, document, state),
    open: () => openReader(style),
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
  const { style, conversations } = gathering;
  const decode = createSafeDecoder(gathering);
  const leading = style.decodeWrapper?.(conversation.wrapper) ?? [];
  const decoded = conversation.messages.flatMap((native) => decode.next(native, line));
  const messages = [...decoded, ...decode.rest()];
  const about = aboutConversation(conversation);
  conversations.push({ ...about, messages: [...leading, ...messages], timeline: [] });
}

/** A decoder that warns of a message where the dialect's own would throw. */
interface SafeDecoder {
  next(native: unknown, line?: number): readonly Message[];
  /** What was still open at the end of the list. */
  rest(): readonly Message[];
}

function createSafeDecoder({ style, warnings }: Gathering): SafeDecoder {
  const decode = style.createDecoder();
  return {
    next(native, line) {
      try {
        return decode(native);
      } catch (error) {
        if (!isContextError(error)) throw error;
        warnings.add(`A message was left out: ${error.message}`, line);
        return [];
      }
    },
    rest: () => decode.open?.() ?? [],
  };
}

function startGathering(style: PlainStyle): Gathering {
  return { style, warnings: createWarnings(), conversations: [] };
}

function toReading({ conversations, warnings }: Gathering): Reading {
  return { conversations, compactions: 0, warnings: warnings.list() };
}
