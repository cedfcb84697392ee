import { anything, fields, text } from "../lenient.ts";
import type { Detection, Reading, RecordReader, RecordsFormat } from "../transcript.ts";
import { createWarnings } from "../warnings.ts";
import { openingSnapshot, readChat } from "./reading.ts";

const lineSchema = fields({
  $rewindTo: text,
  $set: anything,
  id: text,
  type: text,
  sessionId: text,
  projectHash: text,
});

const setSchema = fields({ messages: anything });

/** A chat that Gemini CLI appends to line by line: records, changes and rewinds. */
export const geminiCliLines: RecordsFormat = {
  name: "gemini-cli",
  title: "Gemini CLI chat",
  location: "~/.gemini/tmp/<project>/chats/session-*.jsonl",
  shape: "records",
  detect,
  open,
};

function detect(records: readonly unknown[]): Detection {
  const lines = records.map((record) => lineSchema.parse(record));
  const isSession = lines.some(
    (line) => line?.sessionId !== undefined && line.projectHash !== undefined,
  );
  if (isSession || lines.some((line) => line?.$rewindTo !== undefined)) return true;
  return "no record has a `sessionId` and a `projectHash`";
}

interface State {
  session: object;
  /** Messages by id in their order; a later record of an id takes the place of the earlier one. */
  readonly current: Map<string, unknown>;
  readonly all: Map<string, unknown>;
  compactions: number;
}

function open(): RecordReader {
  const state: State = { session: {}, current: new Map(), all: new Map(), compactions: 0 };
  const warnings = createWarnings();
  return {
    record(value, line) {
      const native = lineSchema.parse(value);
      if (native?.$rewindTo !== undefined) rewind(state, native.$rewindTo);
      else if (native?.id !== undefined && native.type !== undefined) put(state, native.id, value);
      else if (native?.$set !== undefined) change(state, native.$set);
      else if (native?.sessionId !== undefined) change(state, value);
      else warnings.add("This is no record of a Gemini CLI chat.", line);
    },
    finish(): Reading {
      const { session, compactions } = state;
      const current = [...state.current.values()];
      return readChat({ session, current, all: [...state.all.values()], compactions }, warnings);
    },
  };
}

function put(state: State, id: string, record: unknown): void {
  state.current.set(id, record);
  state.all.set(id, record);
}

/** Takes back the message with this id and everything after it; all of it when the id is unknown. */
function rewind(state: State, id: string): void {
  const ids = [...state.current.keys()];
  const from = Math.max(0, ids.indexOf(id));
  for (const gone of ids.slice(from)) state.current.delete(gone);
}

/** `messages` in a change is the whole new history: so compression and masking are recorded. */
function change(state: State, value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  state.session = { ...state.session, ...value };
  const messages = setSchema.parse(value)?.messages;
  if (!Array.isArray(messages)) return;
  const snapshot = openingSnapshot(messages);
  const before = openingSnapshot([...state.current.values()]);
  if (snapshot !== undefined && snapshot !== before) state.compactions += 1;
  state.current.clear();
  for (const [index, message] of messages.entries()) {
    put(state, lineSchema.parse(message)?.id ?? `message-${index}`, message);
  }
}
