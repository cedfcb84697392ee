import { extractLedger } from "../core/ledger/extract.ts";
import type { Message, OutputPart, Part } from "../core/message/message.ts";
import type { Conversation, Transcript } from "../transcripts/index.ts";

/** A thing that a session did not take. */
export interface LeftBehind {
  /** Its name for people, in the singular. */
  readonly name: string;
  /** Absent where there is one only. */
  readonly times?: number;
}

/** A conversation that was to be written, the compacted messages in it. */
export interface Planned {
  readonly conversation: Conversation;
  /** The same messages before they were compacted: that may have taken their reasoning. */
  readonly tail: readonly Message[];
  /** Of the file that it comes from. */
  readonly transcript: Pick<Transcript, "conversations">;
  /** Entries of the agent's todo list. */
  readonly todos: number;
}

/**
 * Parts of a conversation that are not in the session that was made of it, by what the reader of its
 * agent finds there. Words, calls and results are always there: else nothing would have been written.
 */
export function leftBehind(
  { conversation, tail, transcript, todos }: Planned,
  { conversations }: Pick<Transcript, "conversations">,
): readonly LeftBehind[] {
  const [read] = conversations;
  const messages = read?.messages ?? [];
  const said = new Set(messages.flatMap(textsOf));
  const before = countsOf([
    ...partsOf(conversation.messages).filter(({ type }) => type !== "reasoning"),
    ...partsOf(tail).filter(({ type }) => type === "reasoning"),
  ]);
  const after = countsOf(partsOf(messages));
  const unsaid = conversation.messages.filter((message) =>
    textsOf(message).some((text) => !said.has(text)),
  );
  const lost = [...before].map(([name, times]) => ({
    name,
    times: times - (after.get(name) ?? 0),
  }));
  const others = transcript.conversations.length - conversations.length;
  const listed = extractLedger(messages).todos.length;
  const own = (name: string, value?: string, now?: string): LeftBehind[] =>
    value === undefined || value === now ? [] : [{ name }];
  return [
    ...lost,
    { name: "system message", times: unsaid.filter(({ role }) => role === "system").length },
    { name: "injected message", times: unsaid.filter(isInjected).length },
    { name: "other conversation", times: others },
    { name: "todo", times: listed === 0 ? todos : 0 },
    ...own("the system prompt", conversation.instructions, read?.instructions),
    ...own(`the model ${conversation.model}`, conversation.model, read?.model),
    ...own("the title", conversation.title, read?.title),
  ].filter(({ times = 1 }: LeftBehind) => times > 0);
}

/** A program's words among the person's. */
function isInjected({ role, kind }: Message): boolean {
  return kind === "injected" && role !== "system";
}

function textsOf({ parts }: Message): readonly string[] {
  return parts.flatMap((part) => (part.type === "text" && part.text !== "" ? [part.text] : []));
}

function partsOf(messages: readonly Message[]): readonly Part[] {
  return messages.flatMap(({ parts }) => parts);
}

/** Things that are more than words, counted by name. */
function countsOf(parts: readonly Part[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const name of parts.flatMap(namesOf)) {
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

function namesOf(part: Part | OutputPart): readonly string[] {
  if (part.type === "reasoning") {
    const { text, signature } = part;
    return [
      ...(text === "" ? [] : ["reasoning text"]),
      ...(signature === undefined ? [] : ["reasoning signature"]),
    ];
  }
  if (part.type === "file") return [part.mediaType.startsWith("image/") ? "image" : "file"];
  if (part.type === "opaque") return [`${part.kind} block`];
  if (part.type !== "tool-result") return [];
  const failed = part.isError === true ? ["failure mark"] : [];
  return [...failed, ...part.output.flatMap(namesOf)];
}
