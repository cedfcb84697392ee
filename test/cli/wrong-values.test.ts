import { writeFileSync } from "node:fs";
import path from "node:path";
import type { Command, Option } from "commander";
import { expect, it } from "vitest";
import { BUDGET_OPTIONS } from "../../src/core/overflow/budget-options.ts";
import { allCommands, runProgram } from "../../src/cli/program.ts";
import { assistant, user } from "../build-messages.ts";
import { sample } from "../property/runs.ts";
import { capturedIo } from "./captured-io.ts";
import { temporaryFolder } from "./run-cli.ts";

/** What nobody means, for one kind of value or another. */
const WRONG = sample(["x", "0", ".5", "", "-1", "500%", "0%", "1e400", "999999999999k"], 4);

/** These serve or start a program where the value is right after all. */
const LASTING: ReadonlySet<string> = new Set(["gateway", "mcp", "truncate", "wrap", "run"]);

/** What else a command wants; the session is so small that a right value costs nothing. */
const OTHERS: Readonly<Record<string, readonly string[]>> = {
  compact: ["session.json"],
  resume: ["session.json", "--to", "pi"],
  inspect: ["session.json"],
  simulate: ["session.json"],
  search: ["text"],
  recall: ["head_0123456789abcdef"],
  copy: ["a", "b"],
  plugin: ["codex"],
};

/** Names that options have inside, and nobody types. */
const INNER = new RegExp(
  `\\b(?:${[...BUDGET_OPTIONS.filter((name) => /[A-Z]/.test(name)), "protectedTools", "compactionTemplate"].join("|")})\\b|[Tt]he option (?!reserved, --reserved)`,
);

interface Asked {
  readonly words: readonly string[];
  readonly option: Option;
}

function askedOf(command: Command, before: readonly string[] = []): readonly Asked[] {
  const words = [...before, command.name()];
  const own = command.options
    .filter(({ required, optional }) => required || optional)
    .map((option) => ({ words, option }));
  return [...own, ...command.commands.flatMap((inner) => askedOf(inner, words))];
}

it("names the flag that was typed, and never an option of the engine", async () => {
  const home = temporaryFolder();
  const messages = [user("What is this?"), assistant("A project.")];
  const session = JSON.stringify({ format: "longhaul", version: 1, messages });
  writeFileSync(path.join(home, "session.json"), session);
  writeFileSync(path.join(home, "x"), "");
  const commands = (await allCommands(capturedIo())).filter((one) => !LASTING.has(one.name()));
  const asked = commands.flatMap((command) => askedOf(command));
  expect(asked.length).toBeGreaterThan(50);
  const told = new Set<string>();
  for (const { words, option } of asked) {
    for (const value of WRONG) {
      const env = { HOME: home, LONGHAUL_HOME: path.join(home, "state"), PATH: "" };
      const io = capturedIo({ env, cwd: home });
      const typed = [...words, `${option.long}=${value}`, ...(OTHERS[words.at(-1) ?? ""] ?? [])];
      const code = await runProgram(io, typed, "0.0.0");
      if (code === 0) continue;
      const said = io.talk();
      expect({ typed, said: INNER.exec(said)?.[0] }).toEqual({ typed, said: undefined });
      expect({ typed, said }).toEqual({
        typed,
        said: expect.stringMatching(/^longhaul: .*[.)…]\n/s),
      });
      // The system's own words say nothing about what to do.
      expect(said).not.toMatch(/^longhaul: E[A-Z]+: /);
      if (said.includes(option.long ?? "")) told.add(option.long ?? "");
    }
  }
  for (const flag of ["--target", "--tail", "--protect", "--window", "--schema", "--since"]) {
    expect([...told]).toContain(flag);
  }
});
