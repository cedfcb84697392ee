import { messageText, type Message } from "../../core/message/message.ts";
import { isFrame } from "../../core/summary/frame.ts";

/** The end of a summary that was made for an agent's own compaction. */
export const SEAM = "(The session goes on here.)";

/** Whether a list that begins with this message was begun by such a summary of ours. */
export function hasSeam(first: Message | undefined): boolean {
  return first?.kind === "summary" && isFrame(messageText(first));
}
