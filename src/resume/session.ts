import { createHash, randomBytes, randomUUID } from "node:crypto";
import {
  type Message,
  type Part,
  resultText,
  type ToolResultPart,
} from "../core/message/message.ts";
import type { DialectTraits } from "../core/plan/index.ts";
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
 * A digest that two forms of a conversation must have in common: who says what, which calls, which results.
 * Ids may be others, messages may be cut elsewhere, the results of a batch may stand in the order of
 * its calls or in that in which they came; what agents announce again does not count.
 */
export function contentDigest(messages: readonly Message[]): string {
  const hash = createHash("sha256");
  const calls = new Map<string, number>();
  let results: ToolResultPart[] = [];
  const take = (role: string, part: Part): void => {
    const said = spoken(part);
    if (said !== "") hash.update(`${role}\0${said}\0`);
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
  return hash.digest("hex");
}

function spoken(part: Part): string {
  if (part.type === "text") return part.text;
  if (part.type === "tool-call") return `${part.toolName}\0${JSON.stringify(part.input)}`;
  if (part.type === "tool-result") return resultText(part);
  return "";
}
