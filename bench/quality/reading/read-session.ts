/**
 * An independent reading of a session: what its tool calls did to files, which commands they ran and
 * what the user asked for. It is made from the tools' own documentation and from what shells do, and
 * shares no code with the ledger, so that each can be held against the other.
 */
import { type Message, repairMessages } from "../../../src/core/message/index.ts";
import { NO_RESULT_TEXT } from "../../../src/core/message/repair.ts";
import { joinPath } from "./paths.ts";
import { type FileAct, readShell } from "./shell-files.ts";
import { type Call, readCall } from "./tool-calls.ts";

/** Where something was seen: enough to judge it by hand. */
export interface Place {
  /** Index of the message. */
  readonly at: number;
  readonly tool: string;
  readonly input: string;
}

export interface PlacedAct extends FileAct, Place {}

export interface PlacedText extends Place {
  readonly text: string;
}

export interface PlacedCommand extends PlacedText {
  /** What its agent recorded, where it is beyond doubt. */
  readonly outcome: "ok" | "failed" | "unknown";
}

export interface SessionReading {
  readonly acts: readonly PlacedAct[];
  /** Those that nobody refused to run. */
  readonly commands: readonly PlacedCommand[];
  readonly refused: readonly PlacedText[];
  readonly instructions: readonly PlacedText[];
  /** Inputs with code in them that may do anything to the files that they name. */
  readonly opaque: readonly PlacedText[];
}

/** Shells that keep their directory from one command to the next, by tool. */
const STICKY = /^(?:Bash|execute_bash)$/;

/** Reads messages; `directory` is where the agent worked, `""` when nobody says. */
export function readSession(messages: readonly Message[], directory: string): SessionReading {
  const legal = repairMessages(messages).messages;
  const acts: PlacedAct[] = [];
  const commands: PlacedCommand[] = [];
  const refused: PlacedText[] = [];
  const opaque: PlacedText[] = [];
  const instructions: PlacedText[] = [];
  const results = resultsOf(legal);
  let openFile: string | undefined;
  let shellDirectory = directory;

  for (const [at, message] of legal.entries()) {
    if (message.role === "user" && message.kind === undefined) {
      const text = textOf(message);
      if (text.trim() !== "") instructions.push({ at, tool: "user", input: "", text });
    }
    for (const part of message.parts) {
      if (part.type !== "tool-call") continue;
      const { input } = part;
      const isObject = typeof input === "object" && input !== null;
      const call: Call = {
        tool: part.toolName,
        input: isObject ? (input as Record<string, unknown>) : {},
        text: typeof input === "string" ? input : "",
        output: undefined,
        isError: false,
        ...results.get(part.toolCallId),
      };
      const place: Place = {
        at,
        tool: part.toolName,
        input: typeof input === "string" ? input : JSON.stringify(input),
      };
      const reading = readCall(call, openFile);
      openFile = reading.opens ?? openFile;
      const here =
        reading.directory === undefined ? directory : joinPath(directory, reading.directory);
      for (const act of reading.acts)
        acts.push({ ...act, path: joinPath(directory, act.path), ...place });
      const outcome = outcomeOf(call);
      for (const line of reading.commands) {
        if (outcome === "never ran") refused.push({ ...place, text: line });
        else commands.push({ ...place, text: line, outcome: recordedOutcome(call) });
        if (reading.shell === "other") opaque.push({ ...place, text: line });
        if (reading.shell !== "posix") continue;
        const isSticky = STICKY.test(part.toolName) && reading.directory === undefined;
        const shell = readShell(line, isSticky ? shellDirectory : here);
        for (const act of shell.acts) {
          if (outcome === "never ran") continue;
          acts.push({ ...act, ...place, certain: act.certain && outcome === "ok" });
        }
        opaque.push(...shell.opaque.map((text) => ({ ...place, text })));
        // It stays where it went, unless its agent puts it back: unknown from here on.
        if (isSticky && shell.endDirectory !== directory) shellDirectory = "";
      }
    }
  }
  return { acts, commands, refused, instructions, opaque };
}

/** What came back, by call. */
function resultsOf(messages: readonly Message[]): ReadonlyMap<string, Partial<Call>> {
  const results = new Map<string, Partial<Call>>();
  for (const part of messages.flatMap(({ parts }) => parts)) {
    if (part.type !== "tool-result") continue;
    const output = part.output.map((piece) => (piece.type === "text" ? piece.text : "")).join("");
    // The repair answers a call of which nothing was recorded.
    if (output === NO_RESULT_TEXT) continue;
    results.set(part.toolCallId, { output, isError: part.isError === true });
  }
  return results;
}

/** `maybe`: something in it failed, so that nothing in it is certain. */
function outcomeOf({ output, isError }: Call): "ok" | "maybe" | "never ran" {
  if (output === undefined) return "maybe";
  if (
    isError &&
    /denied|cancelled|rejected|doesn't want to|not permitted/i.test(output.slice(0, 300))
  ) {
    return "never ran";
  }
  if (isError) return "maybe";
  const exit = /(?:exited? with (?:exit )?code:?|exit code:?|Exit status) (-?\d+)/i.exec(
    `${output.slice(0, 300)}\n${output.slice(-300)}`,
  );
  if (exit !== null && exit[1] !== "0") return "maybe";
  return /No such file|cannot |can't |command not found|fatal:|Permission denied|not a directory/i.test(
    output,
  )
    ? "maybe"
    : "ok";
}

/** The sentences in which agents themselves say how a command ended; first line or last. */
function recordedOutcome({ output, isError }: Call): PlacedCommand["outcome"] {
  if (isError) return "failed";
  if (output === undefined) return "unknown";
  const code =
    /^Chunk ID: \w+\nWall time: [^\n]*\nProcess exited with code (\d+)\n/.exec(output)?.[1] ??
    /\[The command completed with exit code (\d+)\.\]\s*$/.exec(output)?.[1] ??
    /\nCommand exited with code (\d+)\s*$/.exec(output)?.[1];
  if (code === undefined) return "unknown";
  return code === "0" ? "ok" : "failed";
}

export function textOf(message: Message): string {
  return message.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n\n");
}
