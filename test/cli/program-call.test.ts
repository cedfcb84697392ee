import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { withSpaces } from "../../src/cli/columns.ts";
import {
  browserCall,
  isMissing,
  programCall,
  typedCommand,
  typedCommands,
  viewWords,
} from "../../src/cli/program-call.ts";
import { temporaryFolder } from "./run-cli.ts";

/** The argument list that a Windows program makes of its command line. */
function windowsArguments(line: string): string[] {
  const words: string[] = [];
  let [word, isQuoted, isWord] = ["", false, false];
  for (let at = 0; at < line.length; at++) {
    const [slashes = ""] = /^\\+(?=")/.exec(line.slice(at)) ?? [];
    if (slashes !== "") {
      word += "\\".repeat(Math.floor(slashes.length / 2));
      at += slashes.length;
      isWord = true;
      if (slashes.length % 2 === 1) word += '"';
      else at--;
    } else if (line[at] === '"' && isQuoted && line[at + 1] === '"') {
      word += '"';
      at++;
    } else if (line[at] === '"') {
      isQuoted = !isQuoted;
      isWord = true;
    } else if (line[at] === " " && !isQuoted) {
      if (isWord) words.push(word);
      [word, isWord] = ["", false];
    } else {
      word += line[at] ?? "";
      isWord = true;
    }
  }
  return isWord ? [...words, word] : words;
}

/** What `cmd` takes for its own outside of quotes. */
function bareText(line: string): string {
  return line.replaceAll(/"[^"]*"/g, "");
}

const pieces = ["a", "9", " ", '"', "'", "\\", "C:\\", "/", "&", "|", ">", "(", ";", ",", "=", "é"];
const words = fc.array(fc.string({ unit: fc.constantFrom(...pieces), maxLength: 8 }), {
  minLength: 1,
  maxLength: 4,
});

describe("a program that npm installed", () => {
  it("is started as it is, word by word", () => {
    const args = ["run", "-s", 'ses "1"', "$HOME"];
    expect(programCall("opencode", args, "linux")).toEqual({ file: "opencode", args, options: {} });
  });

  it("is found by a shell on Windows, where it is opencode.cmd", () => {
    const args = ["run", "-s", "ses_1", "fix C:\\a b\\", 'say "yes" & go', ""];
    expect(programCall("opencode", args, "win32")).toEqual({
      file: 'opencode run -s ses_1 "fix C:\\a b\\\\" "say ""yes"" & go" ""',
      args: [],
      options: { shell: true },
    });
  });

  it("gets on Windows the words that it was given, and the shell none of them", () => {
    fc.assert(
      fc.property(words, (args) => {
        const { file } = programCall("opencode", args, "win32");
        expect(windowsArguments(file)).toEqual(["opencode", ...args]);
        expect(bareText(file)).not.toMatch(/[&|<>()^;,=]/);
      }),
    );
  });

  it("is looked for on the path of Windows, whose shell does not say that it is not there", () => {
    const folder = temporaryFolder();
    writeFileSync(path.join(folder, "opencode.cmd"), "");
    const env = { Path: `C:\\nowhere;${folder}` };
    expect(isMissing("opencode", env, "win32")).toBe(false);
    expect(isMissing("codex", env, "win32")).toBe(true);
    expect(isMissing("opencode", { ...env, PATHEXT: ".EXE" }, "win32")).toBe(true);
    expect(isMissing("codex", env, "linux")).toBe(false);
  });
});

describe("a command that is shown", () => {
  it("shows a file with what the system has", () => {
    expect(viewWords("out.txt", 7, "linux")).toEqual(["less", "+7", "out.txt"]);
    expect(viewWords("out.txt", 7, "win32")).toEqual(["more", "+7", "out.txt"]);
  });

  it("is one word for each word in a shell of this system", () => {
    fc.assert(
      fc.property(words, (args) => {
        const line = withSpaces(typedCommand(["printf", "%s\\0", ...args], "linux"));
        const out = execFileSync("sh", ["-c", line], { encoding: "utf8" });
        expect(out.split("\0").slice(0, -1)).toEqual(args);
      }),
      { numRuns: 25 },
    );
  });

  it.each([
    ["linux", ["/tmp/a b"], "'/tmp/a b'"],
    ["win32", ["C:\\Users\\Ann Lee\\s.jsonl"], '"C:\\Users\\Ann Lee\\s.jsonl"'],
    ["win32", ["C:\\plain\\s.jsonl"], '"C:\\plain\\s.jsonl"'],
    ["win32", ["C:\\ends\\"], '"C:\\ends\\\\"'],
    ["win32", ["--session", "ses_1-a", "it's"], '--session ses_1-a "it\'s"'],
    ["win32", ["@a,b"], '"@a,b"'],
    ["win32", ["C:\\$x's"], "'C:\\$x''s'"],
  ] as const)("on %s: %j", (platform, args, line) => {
    expect(withSpaces(typedCommand(args, platform))).toBe(line);
  });

  it("goes to its folder first, with no word that a shell of Windows lacks", () => {
    const commands = [
      ["opencode", "import", "a.json"],
      ["opencode", "run", "-s", "ses_1"],
    ];
    expect(typedCommands(commands, "D:\\my work", "win32").map(withSpaces)).toEqual([
      'pushd "D:\\my work"',
      "opencode import a.json",
      "opencode run -s ses_1",
    ]);
    expect(typedCommands(commands, "/my work", "linux").map(withSpaces)).toEqual([
      "cd '/my work' && opencode import a.json && opencode run -s ses_1",
    ]);
    expect(typedCommands([["pi"]], undefined, "win32")).toEqual(["pi"]);
  });
});

it.each([
  ["win32", "rundll32"],
  ["darwin", "open"],
  ["linux", "xdg-open"],
] as const)("a browser is opened on %s by %s", (platform, file) => {
  const call = browserCall("http://127.0.0.1:4141/#a&b", platform);
  expect(call).toMatchObject({ file, options: {} });
  expect(call.args.at(-1)).toBe("http://127.0.0.1:4141/#a&b");
});

/** Files and processes, whose ways are tried where they are; texts are made in `program-call.ts`. */
const ASKS = ["archive/files.ts", "cli/program-call.ts", "spill/command.ts", "spill/family.ts"];

it("the system is asked for in few places, and nobody quotes for a shell by hand", () => {
  const files = readdirSync("src", { recursive: true, encoding: "utf8" })
    .map((file) => file.replaceAll("\\", "/"))
    .filter((file) => file.endsWith(".ts"));
  const holding = (what: RegExp): string[] =>
    files.filter((file) => what.test(readFileSync(path.join("src", file), "utf8"))).toSorted();
  expect(holding(/process\.platform|os\.platform\(/)).toEqual(ASKS);
  expect(holding(/replaceAll\("'", (["'`]).*'\\\\''/)).toEqual([
    "cli/completion.ts",
    // What an agent ran, as its own shell would have it.
    "core/calls/describe-call.ts",
    "core/text/shell.ts",
  ]);
});
