import pc from "picocolors";
import type { Archive } from "../archive/archive.ts";
import { describeCall } from "../core/calls/describe-call.ts";
import { handleKind, isHandle } from "../core/message/handle.ts";
import { type Message, type Part, resultText } from "../core/message/message.ts";
import { localTime } from "../core/text/figures.ts";
import { isRecord } from "../core/text/json.ts";
import { type Io, printOriginal } from "./io.ts";

/** A message in full, for a person. */
export function messageView(message: Message, number: number): string[] {
  const { role, kind, time } = message;
  const when = time === undefined ? "" : `, ${localTime(time)}`;
  return [
    pc.bold(`#${number} ${role}${kind === undefined ? "" : `, ${kind}`}`) + pc.dim(when),
    ...message.parts.flatMap((part) => ["", ...partView(part)]),
  ];
}

function partView(part: Part): string[] {
  if (part.type === "text") return [part.text];
  if (part.type === "reasoning")
    return [
      pc.dim("reasoning"),
      part.text || "(encrypted: only the provider of the model can read it)",
    ];
  if (part.type === "tool-call") {
    const input = typeof part.input === "string" ? part.input : JSON.stringify(part.input, null, 2);
    return [pc.cyan(`${part.toolName} ${describeCall(part).subject}`), input];
  }
  if (part.type === "tool-result") {
    const failed = part.isError === true ? ", failed" : "";
    return [pc.cyan(`${part.toolName} output${failed}`), resultText(part)];
  }
  if (part.type === "file") return [pc.dim(`file ${part.filename ?? ""} ${part.mediaType}`)];
  return [pc.dim(part.kind)];
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
