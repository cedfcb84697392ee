import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { stripVTControlCharacters } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import { postgresMigrations } from "../../src/archive/postgres/postgres.ts";
import { columnsOf } from "../../src/cli/columns.ts";
import { allCommands, runProgram } from "../../src/cli/program.ts";
import { SESSION_AGENTS, type SessionAgent, writeSession } from "../../src/resume/write-session.ts";
import { assistant, step, user, words } from "../build-messages.ts";
import { sample } from "../property/runs.ts";
import { RECORDED_SAMPLE, RECORDINGS } from "../recordings.ts";
import { capturedIo } from "./captured-io.ts";
import { temporaryFolder } from "./run-cli.ts";

const RECORDED = path.resolve("examples/recorded-session/session.json.gz");
const LONG = "a folder with a rather long name and spaces in it, as people have them 漢字";

/** A person's home with a session of each agent, and what may be named on a command line. */
interface Place {
  readonly home: string;
  readonly files: Readonly<Record<SessionAgent, string>>;
}

let place: Place;
beforeAll(async () => {
  const home = path.join(temporaryFolder(), LONG);
  const cwd = path.join(home, "work");
  mkdirSync(cwd, { recursive: true });
  const steps = Array.from({ length: 8 }, (_, n) =>
    step(`c${n}`, "Bash", { command: `cat ${n}.txt` }, words(2_000, `output ${n}`)),
  );
  const prompt = `Never touch secret.txt, 絶対に触らないで。 ${"Do as it is written. ".repeat(20)}`;
  const messages = [user(prompt), ...steps.flat(), assistant("All is read.")];
  const files: Record<string, string> = {};
  for (const agent of SESSION_AGENTS) {
    const content = { messages, cwd, model: "claude-sonnet-4-5", title: prompt, now: Date.now() };
    const { path: file } = await writeSession(agent, content, { folder: home, env: {} });
    const earlier = new Date(Date.now() - 60_000);
    utimesSync(file, earlier, earlier);
    files[agent] = file;
  }
  const beside = path.join(files["claude-code"]?.replace(/\.jsonl$/, "") ?? "", "tool-results");
  mkdirSync(beside, { recursive: true });
  writeFileSync(path.join(beside, "toolu_1.txt"), "a kept output\n");
  writeFileSync(path.join(home, "unknown.txt"), "nothing that anybody knows ".repeat(20));
  place = { home, files: files as Place["files"] };
});

/** By command, what is typed behind it; everything that prints for people, and their mistakes. */
const TYPED: Readonly<Record<string, readonly string[]>> = {
  sessions: ["", "--limit 2", "--project /nowhere", "--since x", "--agent nobody"],
  compact: [
    "RECORDED --window 64k",
    "FILE --window 18k --out small.json --to anthropic",
    "FILE --window 1m",
    "FILE --window 1m --prune-only --target 10%",
    "FILE --window 18k",
    "no such file.json",
    "UNKNOWN",
    "FILE --target 500%",
    "FILE --summarizer nobody",
  ],
  resume: [
    "FILE --window 18k",
    "FILE --window 200k",
    "FILE --window 18k --to codex",
    "FILE --window 18k --to opencode",
    "FILE --window 18k --in-place",
    "--undo",
    "nothing",
    "RECORDED --in-place",
  ],
  plugin: ["claude-code --dir P", "claude-code --dir P --remove", "codex", "codex --remove", "x"],
  inspect: ["RECORDED --window 64k", "FILE", "FILE --show 99999", "--last", "FILE --html p.html"],
  simulate: ["FILE --window 12k", "FILE --window 1m", "FILE --window 12k --svg PICTURE"],
  cost: ["", "--by project", "--by model", "--since 2020-01-01"],
  search: ["output", "kept", "secret --limit 3", "no-such-text-anywhere", "two texts", "[ --regex"],
  run: ["", "--max-lines x"],
  truncate: ["--max-bytes x"],
  recall: ["head_0123456789abcdef", "x", "--search output"],
  mcp: ["--archive s3://"],
  gc: ["", "--dry-run", "--max-age 90d --max-size 1GB", "--max-size x"],
  migrate: ["", "--url nothing"],
  archive: ["copy", "copy a b"],
  gateway: ["--port x", "--upstream nothing"],
  wrap: ["", "nobody -- x"],
  completion: ["tcsh"],
  formats: [""],
};

/** A line that may be longer: a path, an address, or a command with nothing before it. */
const COPIED =
  /^\s*(?:["'(]?(?:~?\/|https?:).*|(?:Next: )?(?:cd|longhaul|less|claude|codex|opencode|pi|qwen) .*)$/;

function tooWide(text: string, columns: number): readonly string[] {
  return stripVTControlCharacters(text)
    .split(/[\r\n]/)
    .filter((line) => columnsOf(line) > columns && !COPIED.test(line));
}

/** The times that a text stands in another. */
function times(text: string, wanted: string): number {
  return text.split(wanted).length - 1;
}

async function printed(args: readonly string[], columns: number): Promise<string> {
  const { home, files } = place;
  const names: Readonly<Record<string, string>> = {
    RECORDED,
    FILE: files["claude-code"],
    UNKNOWN: path.join(home, "unknown.txt"),
    P: path.join(home, LONG, "plugin"),
    PICTURE: path.join(home, LONG, "kept.svg"),
  };
  const env = { HOME: home, LONGHAUL_HOME: path.join(home, LONG, "state"), PATH: "" };
  const cwd = temporaryFolder();
  const io = capturedIo({ env, cwd, columns, talkColumns: columns });
  await runProgram(
    io,
    args.map((word) => names[word] ?? word),
    "0.0.0",
  );
  return io.text() + io.talk();
}

describe("no line is wider than a terminal", () => {
  it("is asked of every command", async () => {
    const commands = await allCommands(capturedIo());
    const names = commands.map((command) => command.name());
    expect(Object.keys(TYPED).toSorted()).toEqual(names.toSorted());
  });

  it.each(sample([80, 50], 1))("%i columns", { timeout: 120_000 }, async (columns) => {
    const { home } = place;
    const naming = new Set<string>();
    for (const [command, lines] of Object.entries(TYPED)) {
      for (const line of [...lines, "--help", "--no-such-option"]) {
        const args = [command, ...line.split(" ").filter(Boolean)];
        const text = await printed(args, columns);
        expect({ args, wide: tooWide(text, columns) }).toEqual({ args, wide: [] });
        expect(text).not.toContain("\uFDD0");
        // Whatever names the home has it on one line, however long it is.
        const onOneLine = times(stripVTControlCharacters(text), home);
        const named = times(stripVTControlCharacters(text).replace(/\s+/g, " "), home);
        expect({ args, onOneLine }).toEqual({ args, onOneLine: named });
        if (named > 0) naming.add(command);
      }
    }
    const paths = ["sessions", "compact", "resume", "plugin", "inspect", "search"];
    expect([...naming]).toEqual(expect.arrayContaining(paths));
  });

  it("leaves SQL as it is", async () => {
    const io = capturedIo({ columns: 60 });
    await runProgram(io, ["migrate", "--print"], "0.0.0");
    const [step] = postgresMigrations("longhaul");
    expect(step?.sql).toMatch(/^ *--.{80}/m);
    expect(io.text()).toContain(step?.sql.trim());
  });

  it("names the places of no sessions whole", async () => {
    const home = path.join(temporaryFolder(), LONG);
    const env = { HOME: home, LONGHAUL_HOME: path.join(home, "state"), PATH: "" };
    for (const command of ["sessions", "cost"]) {
      const io = capturedIo({ env, cwd: temporaryFolder(), columns: 80 });
      await runProgram(io, [command], "0.0.0");
      const places = io.lines().filter((line) => line.includes(home));
      expect(places.length).toBeGreaterThan(3);
      expect(times(io.text().replace(/\s+/g, " "), home)).toBe(places.length);
    }
  });

  it.each(RECORDED_SAMPLE)("%s on 80 columns", async (file) => {
    for (const command of ["inspect", "compact"]) {
      const text = await printed([command, path.join(RECORDINGS, file)], 80);
      expect(tooWide(text, 80)).toEqual([]);
    }
  });

  it("ends a pipe's lines where they end", async () => {
    const { files, home } = place;
    const io = capturedIo({ env: { HOME: home, LONGHAUL_HOME: path.join(home, "state") } });
    await runProgram(io, ["resume", files.codex, "--window", "18k", "--force"], "0.0.0");
    expect(io.lines().at(-1)).toMatch(/^Next: cd '.+' && codex resume [0-9a-f-]{36}$/);
    expect(io.lines().filter((line) => line.startsWith("Written   /"))).toHaveLength(1);
  });
});
