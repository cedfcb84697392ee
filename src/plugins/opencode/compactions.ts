import type { Fields } from "../../core/text/json.ts";
import type { Session } from "../inside/session.ts";
import type { OpencodeMessage } from "./encode.ts";
import type { OpencodeInput } from "./host.ts";
import { isSummary, storedList, storePart, textPart } from "./stored.ts";

/** The compactions that opencode makes itself, from their announcement to their summary. */
export interface Compactions {
  /** One begins; what the model is asked may still be changed when its head is known. */
  begin(sessionID: string, asked: { prompt?: string }): void;
  /** Takes the head of one that has begun: the list of messages that a summary shall stand for. */
  takesHead(sessionID: string): boolean;
  /** Empties a head that a summary of ours stands for; else leaves it as it is. */
  summarize(head: OpencodeMessage[], session: Session<OpencodeMessage>): Promise<void>;
  /** The text that stands for one of the model's answer; `undefined` for one of any other answer. */
  said(sessionID: string, messageID: string): string | undefined;
  /** A message was stored. The summary is added to it where a model has answered nothing at all. */
  stored(info: Fields): Promise<void>;
  /** The session goes on with this list, which gets the summary that no model has said. */
  goOn(sessionID: string, list: OpencodeMessage[]): Promise<void>;
}

interface Compaction {
  readonly asked: { prompt?: string };
  hasHead: boolean;
  /** The summary of the head, once that is known. */
  summary?: string;
  /** The message that says it. */
  messageID?: string;
  /** The part of it that was added because the model said nothing, and when it is in the database. */
  added?: { readonly part: Fields; readonly isStored: Promise<void> };
}

/** The model is asked although nobody needs its words, so it shall cost next to nothing. */
const ASK_NOTHING = "The summary is written already. Answer with one word: done";

export function createCompactions(input: OpencodeInput, log: (line: string) => void): Compactions {
  const open = new Map<string, Compaction>();
  /** Once for a compaction, whoever asks first. */
  const add = (compaction: Compaction, info: Fields): Compaction["added"] => {
    const { summary, messageID, added } = compaction;
    if (summary === undefined || messageID !== undefined || added !== undefined) return added;
    const place = { sessionID: String(info["sessionID"]), messageID: String(info["id"]) };
    const part = textPart(summary, place);
    const isStored = storePart(input, part, place).catch((error: unknown) => log(String(error)));
    compaction.added = { part, isStored };
    return compaction.added;
  };
  return {
    begin: (sessionID, asked) => void open.set(sessionID, { asked, hasHead: false }),
    takesHead(sessionID) {
      const compaction = open.get(sessionID);
      if (compaction === undefined || compaction.hasHead) return false;
      compaction.hasHead = true;
      return true;
    },
    async summarize(head, session) {
      const sessionID = String(head[0]?.info["sessionID"]);
      const compaction = open.get(sessionID);
      // A process that has sent nothing yet has not seen what an earlier one summed up.
      const stored =
        session.latest() === undefined ? await storedList(input, sessionID) : undefined;
      const before = session.earlierSummary(stored);
      const summary = await session.summarize([...before, ...head]);
      if (summary === undefined || compaction === undefined) return;
      compaction.summary = summary;
      compaction.asked.prompt = ASK_NOTHING;
      head.length = 0;
    },
    said(sessionID, messageID) {
      const compaction = open.get(sessionID);
      if (compaction?.summary === undefined) return undefined;
      // A second text of the same answer says nothing either.
      const isFirst = compaction.messageID === undefined;
      compaction.messageID ??= messageID;
      return isFirst ? compaction.summary : "";
    },
    async stored(info) {
      const compaction = open.get(String(info["sessionID"]));
      if (compaction === undefined || !isSummary({ info }) || !isOver(info)) return;
      await add(compaction, info)?.isStored;
    },
    async goOn(sessionID, list) {
      const compaction = open.get(sessionID);
      open.delete(sessionID);
      const at = list.findLastIndex(isSummary);
      const message = list[at];
      if (compaction === undefined || message === undefined) return;
      const { part, isStored } = add(compaction, message.info) ?? {};
      if (part === undefined) return;
      if (!message.parts.some(({ id }) => id === part["id"]))
        list[at] = { ...message, parts: [...message.parts, part] };
      await isStored;
    },
  };
}

function isOver({ time }: Fields): boolean {
  return (time as { completed?: unknown } | undefined)?.completed !== undefined;
}
