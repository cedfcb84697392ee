import pc from "picocolors";
import { describeCall } from "../core/calls/describe-call.ts";
import { type Message, type Part, resultText } from "../core/message/message.ts";
import { localTime } from "../core/text/figures.ts";

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
