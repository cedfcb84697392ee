import type { Session } from "../inside/session.ts";
import type { OpencodeMessage } from "./encode.ts";
import type { OpencodeInput } from "./host.ts";
import { storedList } from "./stored.ts";

/** The compactions that opencode makes itself, from their announcement to their summary. */
export interface Compactions {
  /** One begins; what the model is asked may still be changed when its head is known. */
  begin(sessionID: string, asked: { prompt?: string }): void;
  /** Takes the head of one that has begun: the list of messages that a summary shall stand for. */
  takesHead(sessionID: string): boolean;
  /** Empties a head that a summary of ours stands for; else leaves it as it is. */
  summarize(head: OpencodeMessage[], session: Session<OpencodeMessage>): Promise<void>;
  /** What a text of the model's answer becomes; `undefined` for one of any other answer. */
  said(sessionID: string, messageID: string): string | undefined;
  /** The session goes on. */
  end(sessionID: string): void;
}

interface Compaction {
  readonly asked: { prompt?: string };
  hasHead: boolean;
  /** What stands for the head, once that is known. */
  summary?: string;
  /** The message that says it. */
  messageID?: string;
}

/** The model is asked although nobody needs its words, so it shall cost next to nothing. */
const ASK_NOTHING = "The summary is written already. Answer with one word: done";

export function createCompactions(input: OpencodeInput): Compactions {
  const open = new Map<string, Compaction>();
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
    end: (sessionID) => void open.delete(sessionID),
  };
}
