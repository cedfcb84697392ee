/*
 * How long `longhaul search`, `sessions` and the index take, beside ripgrep:
 *   npm run build && npx tsx bench/sessions/run.ts [MEGABYTES | --gigabytes N]
 * Sessions are generated; with --gigabytes they are copies of the recorded ones, and the lists are left
 * out. Processor time is that of the process and its threads; memory its largest. ripgrep is the one in
 * the path: apt-get install ripgrep. Medians of three by processor time.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, utimesSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { copyRecordings, generateSessions, RARE } from "./generate.ts";

const MAIN = path.resolve("dist/cli/main.js");
const RUNS = 3;

interface Measured {
  readonly seconds: number;
  readonly cpu: number;
  readonly megabytes: number;
  readonly lines: number;
}

/** The median of some runs, by GNU time. */
function measure(home: string, command: readonly string[], runs = RUNS): Measured {
  const all = Array.from({ length: runs }, (): Measured => {
    const env = { ...process.env, HOME: home, LONGHAUL_HOME: path.join(home, "longhaul") };
    const options = { env, encoding: "utf8", maxBuffer: 1e9, cwd: home } as const;
    const done = spawnSync("/usr/bin/time", ["-f", "@%e %U %S %M", ...command], options);
    const [, wall, user, system, kilobytes] =
      /@(\S+) (\S+) (\S+) (\d+)\s*$/.exec(done.stderr) ?? [];
    return {
      seconds: Number(wall),
      cpu: Number(user) + Number(system),
      megabytes: Number(kilobytes) / 1_000,
      lines: done.stdout.split("\n").length - 1,
    };
  });
  return all.sort((a, b) => a.cpu - b.cpu)[Math.floor(runs / 2)] as Measured;
}

function row(name: string, { seconds, cpu, megabytes, lines }: Measured): void {
  const cells = [name, cpu.toFixed(2), seconds.toFixed(2), megabytes.toFixed(0), String(lines)];
  console.log(`| ${cells.join(" | ")} |`);
}

const longhaul = (...args: readonly string[]): string[] => [process.execPath, MAIN, ...args];

function searches(about: string, fill: (home: string) => number): void {
  const home = mkdtempSync(path.join(os.tmpdir(), "longhaul-bench-"));
  try {
    const count = fill(home);
    const rg = (...args: readonly string[]): string[] => ["rg", "-N", "-uu", ...args, home];
    const expression = "heron on the (light|dark)house";
    const rows: readonly (readonly [name: string, command: readonly string[]])[] = [
      ["rg -F, a rare text", rg("-F", "-c", RARE)],
      ["rg -F -j1, a rare text", rg("-F", "-j1", "-c", RARE)],
      ["longhaul search, a rare text", longhaul("search", RARE)],
      ["rg -F -j1, a text that is nowhere", rg("-F", "-j1", "zzz not there")],
      ["longhaul search, a text that is nowhere", longhaul("search", "zzz not there")],
      ["longhaul search, a text that is everywhere", longhaul("search", "function")],
      ["rg -j1, a pattern", rg("-j1", "-c", expression)],
      ["longhaul search --regex", longhaul("search", "--regex", expression)],
      ["rg -i -j1, a text in either case", rg("-i", "-j1", "-c", RARE.toUpperCase())],
      [
        "longhaul search --regex '(?i)…'",
        longhaul("search", "--regex", `(?i)${RARE.toUpperCase()}`),
      ],
    ];
    console.log(`\n${about} in ${count} sessions; ${versionOf("rg")}\n`);
    console.log("| what | CPU, s | wall, s | memory, MB | lines printed |");
    console.log("| --- | ---: | ---: | ---: | ---: |");
    for (const [name, command] of rows) row(name, measure(home, command));
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

function versionOf(program: string): string {
  const { stdout, error } = spawnSync(program, ["--version"], { encoding: "utf8" });
  if (error !== undefined)
    throw new Error(`${program} is not here: install ripgrep.`, { cause: error });
  return stdout.split("\n", 1)[0] ?? "";
}

function lists(count: number): void {
  const home = mkdtempSync(path.join(os.tmpdir(), "longhaul-bench-"));
  try {
    generateSessions(home, { count, bytes: 20_000, rare: 100 });
    console.log(`\n${count} sessions of 20 KB\n`);
    console.log("| what | CPU, s | wall, s | memory, MB | lines printed |");
    console.log("| --- | ---: | ---: | ---: | ---: |");
    row("longhaul sessions, cold", measure(home, longhaul("sessions", "--json"), 1));
    row("longhaul sessions, warm", measure(home, longhaul("sessions", "--json")));
    const folder = path.join(home, ".claude/projects/-home-ada-project-0");
    const [changed = ""] = readdirSync(folder);
    utimesSync(path.join(folder, changed), new Date(), new Date());
    row("longhaul sessions, one changed", measure(home, longhaul("sessions", "--json"), 1));
    row("longhaul cost, warm", measure(home, longhaul("cost", "--json")));
    row("longhaul formats", measure(home, longhaul("formats")));
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

const { values, positionals } = parseArgs({
  options: { gigabytes: { type: "string" } },
  allowPositionals: true,
});
const GIGABYTE = 1_000_000_000;
if (values.gigabytes !== undefined) {
  const bytes = Number(values.gigabytes) * GIGABYTE;
  searches(`${values.gigabytes} GB`, (home) => copyRecordings(home, { bytes, rare: 100 }));
} else {
  const count = Number(positionals[0] ?? 1_000);
  searches(`${count} MB`, (home) => generateSessions(home, { count, bytes: 1_000_000, rare: 100 }));
  lists(5_000);
}
