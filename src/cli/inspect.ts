import type { Command } from "commander";
import { mergedSettings, readSettings } from "../settings/settings.ts";
import type { PageFlags } from "./inspect-page.ts";
import { inspectView } from "./inspect-view.ts";
import { inspect, inspectJson } from "./inspection.ts";
import { type Io, tell } from "./io.ts";
import { type LoadOptions, sessionOptions } from "./load.ts";

/** `longhaul inspect FILE`: what fills the window, by role, by tool, and over time. */
export function define(command: Command, io: Io): void {
  sessionOptions(command)
    .description(
      "Shows what fills the window: by role, by tool, the ten largest items, and growth over time.",
    )
    .option(
      "--show <number>",
      "print a message in full: 241 is #241 of the window, L241 is line 241 of the file (message 241 of a JSON document)",
    )
    .option("--web", "open it as a page in the browser, served on this machine until Ctrl-C")
    .option("--html <file>", "write that page as one file that works offline")
    .addHelpText("after", EXAMPLES)
    .action((session: string | undefined, options) => inspectCommand(io, session, options));
}

const EXAMPLES = `
Examples:
  longhaul inspect --last
  longhaul inspect --last --web
  longhaul inspect 3f2a91c0 --show 241`;

interface InspectFlags extends LoadOptions, PageFlags {
  /** The message to print of it. */
  readonly show?: string;
}

export async function inspectCommand(
  io: Io,
  wanted: string | undefined,
  { show, web, html, ...flags }: InspectFlags,
): Promise<void> {
  const { findSession } = await import("./sessions/find-session.ts");
  const session = await findSession(io, wanted, flags);
  if (session === undefined) return;
  const options: LoadOptions = mergedSettings(await readSettings(io), flags);
  if (show !== undefined) {
    const { showMessage } = await import("./show-message.ts");
    return showMessage(io, session, show, options);
  }
  if (web === true || html !== undefined) {
    const { inspectPage } = await import("./inspect-page.ts");
    return inspectPage(io, session, { ...options, web, html });
  }
  const { loadSent } = await import("./sent-session.ts");
  const loaded = await loadSent(io, session, options);
  const inspection = inspect(wanted ?? session.path ?? session.name, loaded, options);
  tell(io, options, inspectJson(inspection), () => inspectView(io, inspection));
}
