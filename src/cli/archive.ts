import { Argument, type Command } from "commander";
import { copyArchive, type CopyReport } from "../archive/copy.ts";
import { openArchive, shownAddress } from "../archive/open.ts";
import { ContextError } from "../core/error.ts";
import { bytes, count, plural } from "../core/text/figures.ts";
import { type CommonOptions, type Io, type SetExitCode, talk, tell } from "./io.ts";
import { startProgress } from "./progress.ts";

interface CopyFlags extends CommonOptions {
  readonly conversation?: readonly string[];
}

/** `longhaul archive copy FROM TO`: conversations from one archive into another. */
export function define(command: Command, io: Io, setExitCode: SetExitCode): void {
  command
    .description(
      "Copies conversations, their originals and their journals, from one archive into another: a folder, a database, a bucket. Each original is read back and compared by its SHA-256. What is there already is compared and left, so a copy that was stopped goes on. A conversation that has another journal there is not touched.",
    )
    .addArgument(new Argument("<action>", "what to do").choices(["copy"]))
    .argument("<from>", "the path of a folder, postgres://user@host/database, s3://bucket/prefix")
    .argument("<to>", "the same")
    .option("--conversation <id...>", "only these, by their ids")
    .addHelpText("after", EXAMPLES)
    .action(async (_: string, from: string, to: string, flags: CopyFlags) => {
      const report = await copy(io, { from, to, flags });
      if (report.problems.length > 0) setExitCode(1);
    });
}

const EXAMPLES = `
Passwords and keys come from the environment: PGPASSWORD, AWS_SECRET_ACCESS_KEY.
The tables of a database are made by longhaul migrate.

Examples:
  longhaul archive copy ~/.local/share/longhaul/archive postgres://me@db/agents
  longhaul archive copy postgres://me@db/agents?tenant=a ./a --conversation 4711
  longhaul archive copy ./a s3://agents/team-a`;

interface CopyCall {
  readonly from: string;
  readonly to: string;
  readonly flags: CopyFlags;
}

async function copy(io: Io, { from, to, flags }: CopyCall): Promise<CopyReport> {
  const progress = startProgress(io, flags.json === true);
  // Reading is no use here: what is copied gets no younger.
  const source = await openArchive(from, io.cwd, { observe: true, retention: false });
  const target = await openArchive(to, io.cwd, { retention: false });
  try {
    const report = await copyArchive(source, target, {
      conversations: flags.conversation,
      onProgress: ({ conversations, of, originals }) =>
        progress.update(`${plural(originals, "original")} copied`, conversations, of),
    });
    progress.stop();
    if (report.conversations === 0) throw nothingThere(from, flags.conversation);
    tellCopied(io, flags, { from, to, report });
    return report;
  } finally {
    progress.stop();
    await source.close();
    await target.close();
  }
}

function nothingThere(from: string, ids?: readonly string[]): ContextError {
  const what =
    ids === undefined ? "a conversation" : ids.map((id) => JSON.stringify(id)).join(", ");
  return new ContextError(
    "unreadable-file",
    `The archive ${shownAddress(from)} holds nothing of ${what}: check its address, the schema and tenant or the prefix in it, and the ids.`,
  );
}

interface Told {
  readonly from: string;
  readonly to: string;
  readonly report: CopyReport;
}

function tellCopied(io: Io, { json }: CopyFlags, { from, to, report }: Told): void {
  const { conversations, originals, copied, entries, appended, problems } = report;
  const ends = { from: shownAddress(from), to: shownAddress(to) };
  tell(io, { json }, { ...ends, ...report }, () => [
    `${plural(conversations, "conversation")}, ${plural(originals, "original")} compared by SHA-256: ${count(copied)} copied (${bytes(report.bytes)}), ${count(originals - copied)} there before.`,
    `${count(entries)} of the journals' entries are there, ${count(appended)} of them new.`,
  ]);
  for (const { conversation, problem } of json === true ? [] : problems) {
    talk(io, `longhaul: conversation ${JSON.stringify(conversation)}: ${problem}.`);
  }
}
