import { mkdirSync, readdirSync, utimesSync, writeSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { directoryArchive } from "../../src/archive/directory.ts";
import { runProgram } from "../../src/cli/program.ts";
import { capturedIo } from "./captured-io.ts";
import { runCli, runHere, temporaryFolder } from "./run-cli.ts";

const LINES = Array.from({ length: 300 }, (_, index) => `line ${index + 1}\n`).join("");

/** A state folder with one original in each of two conversations, and what a run needs to see it. */
async function withOriginals(): Promise<{
  env: Readonly<Record<string, string>>;
  folder: string;
  handle: string;
}> {
  const home = temporaryFolder();
  const folder = path.join(home, "archive");
  mkdirSync(folder);
  const archive = (conversation: string): ReturnType<typeof directoryArchive> =>
    directoryArchive(folder, { conversation, retention: false });
  const { handle, path: file = "" } = await archive("one").put("out", LINES);
  // Two files may be written within one tick of the file system's clock.
  const earlier = new Date(Date.now() - 1_000);
  utimesSync(file, earlier, earlier);
  await archive("two").put("msg", "a word with line 77 in it");
  return { env: { LONGHAUL_HOME: home }, folder, handle };
}

/** As if a conversation had been used last so many days ago. */
function age(folder: string, conversation: string, days: number): void {
  const then = new Date(Date.now() - days * 86_400_000);
  utimesSync(path.join(folder, conversation, ".used"), then, then);
}

describe("longhaul recall", () => {
  it("prints an original of whatever conversation, whole or a part of it", async () => {
    const { env, handle } = await withOriginals();
    const print = (...args: readonly string[]): ReturnType<typeof runHere> =>
      runHere(["recall", handle, ...args], { env });
    expect((await print()).stdout).toBe(LINES);
    expect((await print("--lines", "3-4")).stdout).toBe("line 3\nline 4\n");
    expect((await print("--lines", "299-")).stdout).toBe("line 299\nline 300\n");
    expect((await print("--bytes", "5-9")).stdout).toBe("1\nli");
    expect(JSON.parse((await print("--lines", "3-3", "--json")).stdout)).toMatchObject({
      version: 1,
      content: "line 3\n",
      total: { lines: 300, bytes: LINES.length },
    });
    expect(await print("--lines", "900-901")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("has 300 lines") as string,
    });
  });

  it("says at a terminal what an image is, and writes its bytes to a file or a pipe", async () => {
    const home = temporaryFolder();
    mkdirSync(path.join(home, "archive"));
    const bytes = Buffer.from(Array.from({ length: 6_000 }, (_, at) => (at * 7919) % 256));
    const file = { type: "file", mediaType: "image/png", filename: "a.png" };
    const content = JSON.stringify([
      { type: "text", text: "The page." },
      { ...file, data: bytes.toString("base64") },
    ]);
    const archive = directoryArchive(path.join(home, "archive"), { retention: false });
    const { handle } = await archive.put("parts", content);
    const env = { LONGHAUL_HOME: home };
    const terminal = capturedIo({ env, columns: 80 });
    expect(await runProgram(terminal, ["recall", handle], "0")).toBe(0);
    expect(terminal.text()).toBe(
      `The page.\n[image/png "a.png", 6000 bytes: its bytes are no text; \`longhaul recall ${handle} --media 1 > FILE\` writes them to a file]`,
    );
    expect((await runCli(["recall", handle], { env })).stdout).toBe(content);
    const written: Uint8Array[] = [];
    const io = {
      ...capturedIo({ env }),
      stdout: { write: (it: unknown) => written.push(it as Uint8Array) },
    };
    expect(await runProgram(io, ["recall", handle, "--media", "1"], "0")).toBe(0);
    expect(Buffer.concat(written)).toEqual(bytes);
    expect(await runHere(["recall", handle, "--media", "2"], { env })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("holds 1 file") as string,
    });
  });

  it("says at a terminal what it is and where it comes from, and shows messages as such", async () => {
    const home = temporaryFolder();
    const env = { LONGHAUL_HOME: home };
    const archive = directoryArchive(path.join(home, "archive"), { conversation: "s-1" });
    const messages = [
      { role: "user", parts: [{ type: "text", text: "Mend the till." }] },
      { role: "assistant", parts: [{ type: "text", text: "Done." }] },
    ];
    const lines = messages.map((message) => `${JSON.stringify(message)}\n`).join("");
    const { handle, path: file } = await archive.put("head", lines);
    const terminal = capturedIo({ env, columns: 80 });
    expect(await runProgram(terminal, ["recall", handle], "0")).toBe(0);
    expect(terminal.talk()).toContain(`${handle}: messages that left the window together`);
    expect(terminal.talk()).toContain(`from s-1, ${file}`);
    expect(terminal.text()).toBe("#0 user\n\nMend the till.\n\n#1 assistant\n\nDone.\n");
    expect(await runHere(["recall", handle], { env })).toMatchObject({ stdout: lines, stderr: "" });
    const odd = await archive.put("head", "no messages");
    const raw = capturedIo({ env, columns: 80 });
    expect(await runProgram(raw, ["recall", odd.handle], "0")).toBe(0);
    expect(raw.text()).toBe("no messages");
  });

  it("reads no faster than its reader does", async () => {
    const home = temporaryFolder();
    const folder = path.join(home, "archive");
    mkdirSync(folder);
    const content = "a line of text\n".repeat(200_000);
    const { handle } = await directoryArchive(folder, { retention: false }).put("out", content);
    let [written, isFull] = [0, false];
    const stdout = {
      write(piece: string | Uint8Array) {
        expect(isFull).toBe(false);
        isFull = true;
        written += piece.length;
        return false;
      },
      once(_: "drain", listener: () => void) {
        setTimeout(() => {
          isFull = false;
          listener();
        }, 1);
      },
    };
    const io = { ...capturedIo({ env: { LONGHAUL_HOME: home } }), stdout };
    expect(await runProgram(io, ["recall", handle], "1.0.0")).toBe(0);
    expect(written).toBe(content.length);
  });

  it("prints the very bytes, also of what is no text", async () => {
    const home = temporaryFolder();
    const folder = path.join(home, "archive");
    const spill = await directoryArchive(folder, { retention: false }).open?.("out");
    const bytes = Buffer.from([0xff, 0xfe, 0, 0x1b, 0x80, 10, 0xe2, 0x82]);
    writeSync(spill?.fd ?? -1, bytes);
    const entry = await spill?.commit();
    const io = capturedIo({ env: { LONGHAUL_HOME: home } });
    const pieces: Uint8Array[] = [];
    const stdout = { write: (piece: string | Uint8Array) => pieces.push(Buffer.from(piece)) };
    expect(await runProgram({ ...io, stdout }, ["recall", entry?.handle ?? ""], "0")).toBe(0);
    expect(Buffer.concat(pieces)).toEqual(bytes);
  });

  it("searches everything, newest first", async () => {
    const { env, handle } = await withOriginals();
    const run = await runHere(["recall", "--search", "line 77", "--context", "1"], { env });
    expect(run.code).toBe(0);
    expect(run.stdout).toMatch(/^msg_\w+ .+\n1:a word with line 77 in it\n\n/);
    expect(run.stdout).toContain(`${handle} `);
    expect(run.stdout).toContain("76-line 76\n77:line 77\n78-line 78\n");
    expect(run.stderr).toBe("2 hits in 2 of 2 originals (2.6 KB)\n");
    const regex = await runHere(
      ["recall", "--search", "^line 2.0$", "--regex", "--limit", "4", "--json"],
      { env },
    );
    expect(JSON.parse(regex.stdout)).toMatchObject({
      version: 1,
      hits: [{ line: 200 }, { line: 210 }, { line: 220 }, { line: 230 }],
      stopped: "limit",
    });
  });

  it.each([
    [["recall"], "Give a handle"],
    [["recall", "out_0123456789abcdef", "--search", "x"], "Give a handle"],
    [["recall", "--search", "("], ""],
    [["recall", "--search", "(", "--regex"], "regular expression"],
    [["recall", "out_0123456789abcdef", "--lines", "9-3"], "Lines count from 1"],
    [
      ["recall", "out_0123456789abcdef", "--context", "3"],
      "--context and --limit are for --search",
    ],
    [["recall", "--search", "x", "--media", "1"], "--media is for a handle"],
    [["recall", "--search", "x", "--lines", "1-2"], "--lines and --bytes are for a handle"],
    [["recall", "out_0123456789abcdef", "--lines", "x"], "Give two numbers"],
  ])("%j says what is wrong in one line", async (args, why) => {
    const run = await runHere(args);
    expect(run.code).toBe(why === "" ? 0 : 2);
    expect(run.stderr).toContain(why);
    expect(run.stderr.trim().split("\n")).toHaveLength(1);
  });
});

describe("longhaul gc", () => {
  it("says what it would remove, removes it, and has nothing left to do", async () => {
    const { env, folder } = await withOriginals();
    const dry = await runHere(["gc", "--dry-run", "--json"], { env });
    expect(JSON.parse(dry.stdout)).toMatchObject({
      version: 1,
      archive: folder,
      dryRun: true,
      removed: { originals: 0 },
      kept: { conversations: 2, originals: 2 },
    });
    age(folder, "one", 11);
    age(folder, "two", 10);
    expect((await runHere(["gc", "--dry-run"], { env })).stdout).toContain(
      "Would remove 2 conversations with 2 originals",
    );
    const kept = await runHere(["gc", "--older-than", "2w"], { env });
    expect(kept.stdout).toBe(
      "Removed 0 conversations with 0 originals (0 B).\nKept 2 conversations with 2 originals (2.6 KB).\n",
    );
    const small = await runHere(["gc", "--older-than", "2w", "--max-size", "100B"], { env });
    expect(small.stdout).toContain("Removed 1 conversation with 1 original (2.6 KB)");
    expect((await runHere(["gc"], { env })).stdout).toContain(
      "Removed 1 conversation with 1 original (25 B)",
    );
    expect(readdirSync(folder)).toEqual([".gc"]);
  });

  it.each([
    ["--older-than", "soon"],
    ["--max-size", "much"],
  ])("%s %s is wrong usage", async (option, value) => {
    const run = await runHere(["gc", option, value]);
    expect(run).toMatchObject({ code: 2, stderr: expect.stringContaining("Give a") as string });
  });
});
