import { isContextError } from "../../core/error.ts";
import type { Message } from "../../core/message/index.ts";
import type { Decoder, Dialect } from "../../dialects/dialect.ts";
import { isUiMessage } from "../signs.ts";
import {
  type Conversation,
  createWarnings,
  type DocumentReader,
  type Reading,
  type RecordsReader,
  type Warnings,
} from "../transcript.ts";
import { dialectOf, type WriteTarget } from "../write.ts";
import {
  aboutConversation,
  type PlainConversation,
  plainConversations,
  wrappedConversation,
} from "./plain-conversation.ts";
import { fromUiMessage } from "./ui-message.ts";

interface Gathering {
  readonly dialect: Dialect;
  readonly warnings: Warnings;
  readonly conversations: Conversation[];
}

/**
 * Reads one dialect's plain messages. The dialect decodes them, so each message carries its native
 * object and can be written back untouched. A message that the dialect refuses is left out with a
 * warning.
 */
export async function plainReader(name: WriteTarget): Promise<DocumentReader & RecordsReader> {
  const dialect = await dialectOf(name);
  const start = (): Gathering => ({ dialect, warnings: createWarnings(), conversations: [] });
  return {
    read(document, { isTorn = false } = {}) {
      const gathering = start();
      const found = plainConversations(document, (at) => {
        const problem = `Entry ${at + 1} of the document is no conversation; it was left out.`;
        gathering.warnings.add(problem);
      });
      for (const [index, { messages, wrapper }] of found.entries()) {
        const isLast = isTorn && index === found.length - 1;
        gather(gathering, { messages: isLast ? messages.slice(0, -1) : messages, wrapper });
      }
      return toReading(gathering);
    },
    /** Lines are messages of one conversation, or whole conversations (as for fine-tuning). */
    open() {
      const gathering = start();
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
    },
  };
}

function gather(gathering: Gathering, conversation: PlainConversation, line?: number): void {
  const decode = createSafeDecoder(gathering);
  const leading = decodeSystem(gathering.dialect, conversation.wrapper);
  const decoded = conversation.messages.flatMap((native) => decode.next(native, line));
  const messages = [...leading, ...decoded, ...decode.rest()];
  const about = aboutConversation(conversation);
  gathering.conversations.push({ ...about, messages, timeline: [] });
}

/** Anthropic keeps the system prompt beside the messages. */
function decodeSystem(
  dialect: Dialect,
  { system }: PlainConversation["wrapper"],
): readonly Message[] {
  if (dialect.name !== "anthropic" || system === undefined) return [];
  return unlessRefused(() => dialect.decode({ system, messages: [] }));
}

/** The conversation that a dialect decodes; nothing, and a word about it, where it refuses what it is given. */
function unlessRefused(
  decode: () => readonly Message[],
  onRefusal: (problem: string) => void = () => {},
): readonly Message[] {
  try {
    return decode();
  } catch (error) {
    if (!isContextError(error)) throw error;
    onRefusal(error.message);
    return [];
  }
}

/** A decoder that warns of a message where the dialect's own would throw. */
interface SafeDecoder {
  next(native: unknown, line?: number): readonly Message[];
  /** Calls that were still open at the end of the list. */
  rest(): readonly Message[];
}

function createSafeDecoder({ dialect, warnings }: Gathering): SafeDecoder {
  const decode: Decoder = dialect.createDecoder();
  // UI messages of the AI SDK are read as the model messages that they stand for.
  const isAiSdk = dialect.name === "ai-sdk";
  return {
    next: (native, line) =>
      unlessRefused(
        () =>
          isAiSdk && isUiMessage(native) ? fromUiMessage(native).flatMap(decode) : decode(native),
        (problem) => warnings.add(`A message was left out: ${problem}`, line),
      ),
    rest: () => decode.open?.() ?? [],
  };
}

function toReading({ conversations, warnings }: Gathering): Reading {
  return { conversations, compactions: 0, warnings: warnings.list() };
}
