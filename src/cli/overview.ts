import { isCancel, select, text } from "@clack/prompts";
import { clipLine } from "../core/text/clip.ts";
import { withSpaces } from "./columns.ts";
import { type Io, printLines, talk } from "./io.ts";
import { typedCommand } from "./program-call.ts";
import { sessionPicker } from "./sessions/choose-session.ts";
import type { SessionRow } from "./sessions/session-table.ts";

/**
 * `longhaul` alone, at a terminal: the sessions on this computer, and what one can do with them.
 * @param run Runs a command of ours as if it had been typed; settles with its exit code.
 */
export async function showOverview(
  io: Io,
  run: (args: readonly string[]) => Promise<number>,
): Promise<number> {
  const pick = await sessionPicker(io);
  for (;;) {
    const row = await pick?.("Sessions on this computer");
    if (row === undefined) return 0;
    const args = await chosenCommand(row);
    if (args === "back") continue;
    if (args === undefined) return 0;
    const command = typedCommand(["longhaul", ...args.words]);
    if (args.isCopied) {
      copy(io, command);
      return 0;
    }
    talk(io, command);
    return run(args.words);
  }
}

interface ChosenCommand {
  readonly words: readonly string[];
  readonly isCopied: boolean;
}

const TITLE_UNITS = 70;

type Deed = "inspect" | "resume" | "compact" | "search" | "copy" | "back";

/** The command for a session; `undefined` when the person leaves. */
async function chosenCommand({
  known: { session },
  title,
}: SessionRow): Promise<ChosenCommand | "back" | undefined> {
  // An id of its own is shorter; a file's name may stand in two folders.
  const word = /^(?:ses_|[0-9a-f]{8}-)/.test(session.id)
    ? session.id
    : (session.path ?? session.id);
  const deed = await select<Deed>({
    // Titles come from sessions: no control character of theirs gets to the terminal.
    message: clipLine(title, TITLE_UNITS),
    options: [
      { value: "inspect", label: "Inspect", hint: "what fills its window" },
      { value: "resume", label: "Resume", hint: "a smaller session, in its own agent" },
      { value: "search", label: "Search", hint: "a text in it" },
      { value: "compact", label: "Compact", hint: "to a file" },
      { value: "copy", label: "Copy the command", hint: "that resumes it" },
      { value: "back", label: "Back" },
    ],
  });
  if (isCancel(deed)) return undefined;
  if (deed === "back") return "back";
  if (deed === "copy") return { words: ["resume", word], isCopied: true };
  if (deed !== "search") return { words: [deed, word], isCopied: false };
  const wanted = await text({ message: "Text to look for", validate: isNothing });
  if (isCancel(wanted)) return "back";
  return { words: ["search", "--session", session.id, "--", wanted], isCopied: false };
}

function isNothing(value: string | undefined): string | undefined {
  return value ? undefined : "Give a text.";
}

/** Terminals that know OSC 52 put it on the clipboard; it is printed in any case. */
function copy(io: Io, command: string): void {
  printLines(io, [command]);
  io.stderr.write(`\u001B]52;c;${Buffer.from(withSpaces(command)).toString("base64")}\u0007`);
}
