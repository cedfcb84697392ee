import { ContextError } from "../core/error.ts";
import { estimator } from "../core/tokens/estimator.ts";
import { createMessageMeter } from "../core/tokens/index.ts";
import {
  type Conversation,
  readTranscript,
  type Transcript,
  transcriptFormats,
  type TranscriptInput,
} from "../transcripts/index.ts";
import type { Io } from "./io.ts";
import { plural } from "./view/figures.ts";
import { startProgress } from "./view/progress.ts";

export interface LoadOptions {
  /** Name of the format; the content decides without it. */
  readonly format?: string;
  /** Which conversation of a file that holds several, from 1 on. @default the largest */
  readonly conversation?: number;
  readonly json?: boolean;
}

/** A session file, and the conversation in it that a command works on. */
export interface Loaded {
  readonly transcript: Transcript;
  readonly conversation: Conversation;
  /** Title of the format, for people. */
  readonly title: string;
  readonly warnings: readonly string[];
}

/** Reads a session and chooses its conversation. Throws what `readTranscript` throws. */
export async function loadConversation(
  io: Io,
  input: TranscriptInput,
  options: LoadOptions,
): Promise<Loaded> {
  const progress = startProgress(io, options.json === true);
  try {
    const transcript = await readTranscript(input, {
      ...(options.format !== undefined && { format: options.format }),
      onProgress: (done, whole) => progress.update("Reading the session", done, whole),
    });
    const index = chosenIndex(transcript.conversations, options.conversation);
    const conversation = transcript.conversations[index];
    if (conversation === undefined) throw noConversation(transcript);
    const warnings = transcript.warnings.map(({ line, message }) =>
      line === undefined ? message : `line ${line}: ${message}`,
    );
    if (transcript.conversations.length > 1 && options.conversation === undefined) {
      warnings.push(
        `the file holds ${plural(transcript.conversations.length, "conversation")}; this is number ${index + 1}, the largest; choose another with --conversation`,
      );
    }
    const format = transcriptFormats.find((one) => one.name === transcript.format);
    return { transcript, conversation, title: format?.title ?? transcript.format, warnings };
  } finally {
    progress.stop();
  }
}

function chosenIndex(conversations: readonly Conversation[], wanted: number | undefined): number {
  if (wanted !== undefined) {
    if (wanted >= 1 && wanted <= conversations.length) return wanted - 1;
    throw new ContextError(
      "invalid-options",
      `There is no conversation ${wanted}; the file holds ${conversations.length}. Give --conversation a number from 1 to ${conversations.length}.`,
    );
  }
  const meter = createMessageMeter(estimator);
  let largest = 0;
  let most = -1;
  conversations.forEach(({ messages }, index) => {
    const size = meter.total(messages);
    if (size > most) [largest, most] = [index, size];
  });
  return largest;
}

function noConversation({ format }: Transcript): ContextError {
  return new ContextError(
    "unreadable-file",
    `The file is a ${format} session without a conversation; give one that holds messages.`,
  );
}
