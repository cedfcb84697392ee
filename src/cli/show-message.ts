import pc from "picocolors";
import { ContextError, wrongUse } from "../core/error.ts";
import type { Message, Part } from "../core/message/message.ts";
import { count, localTime } from "../core/text/figures.ts";
import { type Io, printJson, printLines, printOriginal } from "./io.ts";
import { loadConversation, type LoadOptions } from "./load.ts";
import { kindOfText, SEALED, textsOf, timeOfRecord } from "./search/record.ts";
import { documentRecords, type SessionRecord } from "./search/records.ts";
import { messageView } from "./message-view.ts";
import type { ChosenSession } from "./sessions/find-session.ts";

/**
 * Prints one message of a session in full: `241` is that number of the window, as `inspect` lists it;
 * `L241` is a line of its file, also of what was compacted away.
 */
export async function showMessage(
  io: Io,
  session: ChosenSession,
  which: string,
  options: LoadOptions,
): Promise<void> {
  const [, isLine, digits] = /^(L?)(\d+)$/i.exec(which.replace(/^#/, "")) ?? [];
  if (digits === undefined) {
    throw invalid(`--show is ${which}; give a number such as 241, or L241 for a line of the file.`);
  }
  const number = Number(digits);
  if (isLine === "") await showOfWindow(io, session, number, options);
  else await showRecord(io, session, number, options);
}

async function showOfWindow(
  io: Io,
  session: ChosenSession,
  number: number,
  options: LoadOptions,
): Promise<void> {
  const { conversation } = await loadConversation(io, await session.load(), options);
  const { messages } = conversation;
  const message = messages[number];
  if (message === undefined) {
    throw invalid(`There is no message ${number}; the window holds 0 to ${messages.length - 1}.`);
  }
  if (options.json === true) printJson(io, { version: 1, number, message: withoutSource(message) });
  else printOriginal(io, messageView(message, number));
}

/** The native value is what the neutral one was made from. */
function withoutSource({ source: _, ...message }: Message): Message {
  const parts = message.parts.map((part): Part => {
    const { source: __, ...rest } = part as Part & { source?: unknown };
    return rest as Part;
  });
  return { ...message, parts };
}

async function showRecord(
  io: Io,
  session: ChosenSession,
  number: number,
  { json }: LoadOptions,
): Promise<void> {
  let last = 0;
  for await (const record of documentRecords(await session.load())) {
    last = record.number;
    if (record.number !== number) continue;
    if (json === true) return printJson(io, { version: 1, number, record: record.value() });
    return printRecord(io, record);
  }
  throw invalid(`There is no line ${number}; the session has ${count(last)}.`);
}

/** Names of fields that say nothing to a person. */
const TECHNICAL =
  /^(?:.*(?:uu)?id|type|version|timestamp|userType|cwd|gitBranch|role|model|usage|slug|stop_reason)$/i;

/** All texts of a record, each under the names of the fields that lead to it. */
function printRecord(io: Io, record: SessionRecord): void {
  const value = record.value();
  const time = timeOfRecord(value);
  const all = [...textsOf(value)];
  const texts = all.filter(({ names }) => !names.some((name) => TECHNICAL.test(name)));
  const kind = texts.length > 0 ? kindOfText(value) : kindOfText(value, all.at(-1));
  const when = time === undefined ? "" : `, ${localTime(time)}`;
  const heading = pc.bold(`L${record.number} ${kind}`) + pc.dim(when);
  if (texts.length === 0) return printLines(io, [heading, "", withoutText(value)]);
  const said = texts.flatMap(({ names, text }) => ["", pc.cyan(names.join(".")), text]);
  printOriginal(io, [heading, ...said]);
}

/** The reason why there is nothing to read in a record. */
function withoutText(value: unknown): string {
  let sealed = 0;
  JSON.stringify(value, (name, item: unknown) => {
    if (SEALED.test(name) && typeof item === "string") sealed += item.length;
    return item;
  });
  return sealed > 0
    ? `It is encrypted (${count(sealed)} characters): only the provider of the model can read it. --json prints it as it is.`
    : "It holds no text for people. --json prints it as it is.";
}

function invalid(message: string): ContextError {
  return wrongUse(message, { option: "show" });
}
