/*
 * How long `longhaul search`, `sessions` and the index take, beside ripgrep:
 *   npm run build && npx tsx bench/sessions/run.ts [MEGABYTES]
 * Processor time is that of the process and its threads; memory its largest.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, utimesSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { generateSessions, RARE } from "./generate.ts";

const MAIN = path.resolve("dist/cli/main.js");
const RUNS = 5;

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

function searches(megabytes: number): void {
  const home = mkdtempSync(path.join(os.tmpdir(), "longhaul-bench-"));
  try {
    generateSessions(home, { count: megabytes, bytes: 1_000_000, rare: 100 });
    const projects = path.join(home, ".claude/projects");
    const rg = (...args: readonly string[]): string[] => ["rg", "-N", ...args, projects];
    measure(home, rg("-F", "-c", RARE), 1);
    console.log(`\n${megabytes} MB in ${megabytes} sessions, in the page cache\n`);
    console.log("| what | CPU, s | wall, s | memory, MB | lines printed |");
    console.log("| --- | ---: | ---: | ---: | ---: |");
    row("rg -F, a rare text", measure(home, rg("-F", "-c", RARE)));
    row("rg -F -j1, a rare text", measure(home, rg("-F", "-j1", "-c", RARE)));
    row("longhaul search, a rare text", measure(home, longhaul("search", RARE)));
    row("rg -F -j1, a text that is nowhere", measure(home, rg("-F", "-j1", "zzz not there")));
    row(
      "longhaul search, a text that is nowhere",
      measure(home, longhaul("search", "zzz not there")),
    );
    row("longhaul search, a text that is everywhere", measure(home, longhaul("search", "refused")));
    row("rg -j1, a pattern", measure(home, rg("-j1", "-c", "heron on the (light|dark)house")));
    const pattern = ["search", "--regex", "heron on the (light|dark)house"];
    row("longhaul search --regex", measure(home, longhaul(...pattern)));
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
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

searches(Number(process.argv[2] ?? 1_000));
lists(5_000);
