import pc from "picocolors";
import type { Archive } from "../archive/archive.ts";
import { placeOf } from "../archive/every-conversation.ts";
import { handleKind, isHandle, type OriginalKind } from "../core/message/handle.ts";
import { isRecord } from "../core/text/json.ts";
import type { Message } from "../core/message/index.ts";
import { bytes, localTime } from "../core/text/figures.ts";
import { unbroken } from "./columns.ts";
import { type Io, printOriginal, talk } from "./io.ts";

const KINDS: Readonly<Record<OriginalKind, string>> = {
  out: "the output of a tool",
  parts: "an output that is more than text",
  in: "the input of a tool call",
  msg: "the text of a message",
  head: "messages that left the window together",
  run: "the output of a command",
};

/** Tells a person what an original is and where it comes from; it stands beside the original itself. */
export async function tellOrigin(io: Io, folder: string, handle: string): Promise<void> {
  const place = isHandle(handle) ? await placeOf(folder, handle) : undefined;
  if (place === undefined || !isHandle(handle)) return;
  const facts = [KINDS[handleKind(handle)], bytes(place.bytes), localTime(place.storedAt)];
  talk(io, pc.bold(`${handle}: ${facts.join(", ")}`));
  talk(io, pc.dim(`from ${place.conversation}, ${unbroken(place.path)}`));
}

/** More is printed as it is, which takes no memory. */
const MOST_BYTES = 50_000_000;

/** Prints archived messages as a person reads them; `false` where they cannot be. */
export async function printMessages(io: Io, archive: Archive, handle: string): Promise<boolean> {
  if (!isHandle(handle) || handleKind(handle) !== "head") return false;
  const content = await archive.get(handle);
  if (content.length > MOST_BYTES) return false;
  const messages = messagesIn(content);
  if (messages === undefined) return false;
  const { messageView } = await import("./message-view.ts");
  for (const [number, message] of messages.entries()) {
    printOriginal(io, [...(number === 0 ? [] : [""]), ...messageView(message, number)]);
  }
  return true;
}

function messagesIn(content: string): readonly Message[] | undefined {
  try {
    const values = content
      .trimEnd()
      .split("\n")
      .map((line): unknown => JSON.parse(line));
    const areMessages = values.every((value) => isRecord(value) && Array.isArray(value["parts"]));
    return areMessages ? (values as Message[]) : undefined;
  } catch {
    return undefined;
  }
}
