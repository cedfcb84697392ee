import pc from "picocolors";
import { ContextError } from "../core/error.ts";
import type { Message, Part } from "../core/message/message.ts";
import { count, localTime } from "./figures.ts";
import { type Io, printJson, printOriginal } from "./io.ts";
import { loadConversation, type LoadOptions } from "./load.ts";
import { kindOfText, textsOf, timeOfRecord } from "./search/record.ts";
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
    return printOriginal(io, recordView(record));
  }
  throw invalid(`There is no line ${number}; the session has ${count(last)}.`);
}

/** Names of fields that say nothing to a person. */
const TECHNICAL =
  /^(?:.*(?:uu)?id|type|version|timestamp|userType|cwd|gitBranch|role|model|usage|slug|stop_reason)$/i;

/** All texts of a record, each under the names of the fields that lead to it. */
function recordView(record: SessionRecord): string[] {
  const value = record.value();
  const time = timeOfRecord(value);
  const texts = [...textsOf(value)].filter(
    ({ names }) => !names.some((name) => TECHNICAL.test(name)),
  );
  return [
    pc.bold(`L${record.number} ${kindOfText(value)}`) +
      pc.dim(time === undefined ? "" : `, ${localTime(time)}`),
    ...texts.flatMap(({ names, text }) => ["", pc.cyan(names.join(".")), text]),
  ];
}

function invalid(message: string): ContextError {
  return new ContextError("invalid-options", message, { details: { option: "show" } });
}
