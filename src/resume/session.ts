import { randomBytes, randomUUID } from "node:crypto";
import {
  type Message,
  outputText,
  type Part,
  type ToolResultPart,
} from "../core/message/message.ts";
import type { DialectTraits } from "../core/plan/index.ts";
import { isRecord } from "../core/text/json.ts";
import { foreignText } from "../dialects/foreign-text.ts";
import { parseInput } from "../dialects/wire.ts";
import type { Conversation } from "../transcripts/index.ts";

/** The contents of a session. */
export interface SessionContent extends Pick<
  Conversation,
  "messages" | "model" | "provider" | "title"
> {
  /** Of the agent, if it is known. */
  readonly version?: string;
  /** The folder that the agent works in; absolute. */
  readonly cwd: string;
  /** The time at which the session is written, in ms since the epoch. */
  readonly now: number;
}

/** Folders of the person whose agents are meant. */
export interface Home {
  /** The home folder; the agents' folders lie in it. */
  readonly folder: string;
  /** Variables that say where an agent keeps its files; ignored for another home than one's own. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Commands with which an agent goes on with a session. */
export interface ResumeCommands {
  /** Opens it at a terminal. */
  readonly command: readonly string[];
  /** Answers a prompt, which is the next word, and ends. */
  readonly promptCommand: readonly string[];
}

/** A session of an agent, ready to be written. */
export interface NewSession extends ResumeCommands {
  readonly id: string;
  /** Absolute. */
  readonly path: string;
  readonly text: string;
  /** A command that must be run first, where the agent keeps its sessions in a database. */
  readonly importCommand?: readonly string[];
}

/** A session to append to. */
export interface OldSession {
  readonly id: string;
  readonly path: string;
  /** The last record of the file; `undefined` in an empty one. */
  readonly last: Readonly<Record<string, unknown>> | undefined;
}

/** Writes the sessions of one agent. */
export interface SessionWriter {
  /** Traits of the provider behind a model; a compaction is planned for it. */
  traits(content: Pick<SessionContent, "model">): Promise<DialectTraits>;
  /** The dialect whose own blocks its sessions hold as they are, if they hold any. */
  readonly dialect?: string;
  /** Whether the agent says this by itself with the next prompt, so that no session holds it. */
  announces(message: Message): boolean;
  /** A new session beside the old one. Pure but for the ids that it makes up. */
  create(content: SessionContent, home: Home): NewSession;
  /** The lines that make an old session go on from `content`; absent where nothing can be appended. */
  append?(content: SessionContent, old: OldSession): Pick<NewSession, "text"> & ResumeCommands;
}

/** An ordered UUID (version 7), as agents call their sessions. */
export function sessionUuid(now: number): string {
  const time = now.toString(16).padStart(12, "0").slice(-12);
  const rest = randomUUID().slice(15);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${rest}`;
}

/** So many random bytes in hex. */
export function hexId(bytes: number): string {
  return randomBytes(bytes).toString("hex");
}

/** One JSON value a line. */
export function jsonLines(records: readonly unknown[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join("");
}

/** The summary that stands first, as agents keep it apart, and what follows it. */
export function splitSummary(messages: readonly Message[]): {
  readonly summary: Message | undefined;
  readonly rest: readonly Message[];
} {
  const [first] = messages;
  return first?.kind === "summary"
    ? { summary: first, rest: messages.slice(1) }
    : { summary: undefined, rest: messages };
}

/**
 * A call's input as an object, which is all that most agents take: free text and other values go into
 * one field.
 */
export function objectInput(input: unknown): Readonly<Record<string, unknown>> {
  const parsed = parseInput(input);
  if (isRecord(parsed)) return parsed;
  return input === undefined || input === "" ? {} : { input };
}

/**
 * Whether a session that was `written` says what was `wanted`: the same speakers, words, calls and
 * results. Ids may be others, messages may be cut elsewhere, the results of a batch may stand in the
 * order of its calls or in that in which they came; space at the end of a line is no word. Files and
 * blocks may be there, gone, or named where they stood; the same words from anybody must be there.
 */
export function saysTheSame(written: readonly Message[], wanted: readonly Message[]): boolean {
  const found = spoken(written).filter(({ isOptional }) => !isOptional);
  // A line that both a name and somebody's words may be keeps both ways open.
  let places: readonly number[] = [0];
  for (const { said, isOptional } of spoken(wanted)) {
    const next = places.filter((at) => found[at]?.said === said).map((at) => at + 1);
    places = isOptional ? [...new Set([...places, ...next])] : next;
    if (places.length === 0) return false;
  }
  return places.includes(found.length);
}

/** A line of somebody's words, or a whole call. */
interface Spoken {
  readonly said: string;
  /** The name of a file or a block, which may stand for it. */
  readonly isOptional: boolean;
}

function spoken(messages: readonly Message[]): readonly Spoken[] {
  const all: Spoken[] = [];
  const calls = new Map<string, number>();
  let results: ToolResultPart[] = [];
  const say = (role: string, text: string, isOptional = false): void => {
    for (const line of text.split("\n").map((one) => one.trimEnd())) {
      if (line !== "") all.push({ said: `${role}\0${line}`, isOptional });
    }
  };
  const take = (role: string, part: Part): void => {
    if (part.type === "tool-call") {
      say(role, `${part.toolName}\0${JSON.stringify(objectInput(part.input))}`);
    }
    if (part.type === "text") say(role, part.text);
    if (part.type === "file" || part.type === "opaque") say(role, foreignText(part), true);
    for (const piece of part.type === "tool-result" ? part.output : []) {
      say(role, outputText([piece]));
      if (piece.type !== "text") say(role, foreignText(piece), true);
    }
  };
  const close = (): void => {
    const at = ({ toolCallId }: ToolResultPart): number => calls.get(toolCallId) ?? -1;
    for (const result of results.toSorted((a, b) => at(a) - at(b))) take("user", result);
    results = [];
  };
  for (const { role, parts } of messages) {
    for (const part of parts) {
      if (part.type === "tool-result") {
        results.push(part);
        continue;
      }
      close();
      if (part.type === "tool-call") calls.set(part.toolCallId, calls.size);
      take(role === "tool" ? "user" : role, part);
    }
  }
  close();
  return all;
}
