import { mkdtempSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { directoryArchive } from "../../../src/archive/directory.ts";
import { type Archive, memoryArchive } from "../../../src/archive/index.ts";
import { truncateResponse } from "../../../src/plugins/claude-code/tool-response.ts";
import { runs } from "../../property/runs.ts";

const LIMITS = { maxLines: 60, maxBytes: 2_000 };
const NOTICE = /\n?<tool-output-truncated [^]*$/;
const HANDLE = /\b(?:out|run|parts)_[0-9a-f]{16}\b/;

function truncated(toolName: string, response: unknown, archive: Archive): Promise<unknown> {
  return truncateResponse(response, { toolName, input: {}, limits: LIMITS, archive });
}

/** What a value is, all texts aside: the same for a response and for what became of it. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf);
  if (typeof value !== "object" || value === null) return typeof value === "string" ? "" : value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, shapeOf(each)]));
}

/** A response whose lists of lines are texts; fails where one is no list of lines. */
function joined(response: unknown): unknown {
  const { filenames } = (response ?? {}) as { filenames?: unknown };
  if (filenames === undefined) return response;
  expect(filenames).toEqual((filenames as unknown[]).map(() => expect.any(String)));
  return { ...(response as object), filenames: (filenames as string[]).join("\n") };
}

function textsOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsOf) : [];
}

const line = fc.string({ unit: "grapheme", maxLength: 40 });
const text = fc
  .tuple(fc.array(line, { maxLength: 8 }), fc.nat({ max: 120 }))
  .map(([lines, times]) =>
    [...lines, ...lines.flatMap((one) => Array(times).fill(one))].join("\n"),
  );
const count = fc.nat({ max: 100_000 });

/** Responses as Claude Code 2.1.330 hands them to a hook, by tool. */
const responses = fc.oneof(
  fc.tuple(
    fc.constantFrom("Bash", "PowerShell", "BashOutput"),
    fc.record(
      { stdout: text, stderr: text, interrupted: fc.boolean(), isImage: fc.constant(false) },
      { requiredKeys: ["stdout", "stderr"] },
    ),
  ),
  fc.tuple(
    fc.constant("Read"),
    fc.record({
      type: fc.constant("text"),
      file: fc.record({ filePath: line, content: text, numLines: count, startLine: count }),
    }),
  ),
  fc.tuple(fc.constant("Grep"), fc.record({ mode: fc.constant("content"), content: text })),
  fc.tuple(
    fc.constantFrom("Grep", "Glob"),
    fc.record({ numFiles: count, filenames: fc.array(line, { maxLength: 200 }) }),
  ),
  fc.tuple(
    fc.constant("WebSearch"),
    fc.record({
      query: line,
      results: fc.array(
        fc.oneof(text, fc.constant({ tool_use_id: "1", content: [{ title: "t", url: "u" }] })),
        { maxLength: 4 },
      ),
    }),
  ),
  fc.tuple(
    fc.constant("ReadMcpResourceTool"),
    fc.record({ contents: fc.array(fc.record({ uri: line, text }), { maxLength: 3 }) }),
  ),
  fc.tuple(fc.constant("WebFetch"), fc.record({ bytes: count, code: count, result: text })),
  fc.tuple(
    fc.constant("Task"),
    fc.record({
      status: line,
      content: fc.array(fc.record({ type: fc.constant("text"), text }), { maxLength: 4 }),
    }),
  ),
  fc.tuple(
    fc.constant("mcp__server__tool"),
    fc.array(
      fc.oneof(
        fc.record({ type: fc.constant("text"), text }),
        fc.constant({ type: "image", data: "A".repeat(50), mimeType: "image/png" }),
      ),
      { minLength: 1, maxLength: 5 },
    ),
  ),
);

/** Responses that have no text for a model, or whose shape nobody knows. */
const others = fc.oneof(
  fc.tuple(fc.constant("Edit"), fc.record({ filePath: line, originalFile: text })),
  fc.tuple(fc.constant("Bash"), fc.record({ stdout: text, isImage: fc.constant(true) })),
  fc.tuple(fc.constant("Read"), fc.record({ type: fc.constant("image"), file: fc.jsonValue() })),
  fc.tuple(fc.string(), fc.jsonValue()),
  fc.tuple(fc.constant("mcp__a__b"), fc.jsonValue()),
);

describe("a tool's response", () => {
  it("keeps its shape, has texts under the limits, and every original can be recalled", async () => {
    await fc.assert(
      fc.asyncProperty(responses, async ([tool, response]) => {
        const archive = memoryArchive();
        const answer = await truncated(tool, response, archive);
        const [after, given] = [joined(answer), joined(response)];
        expect(shapeOf(after)).toEqual(shapeOf(given));
        const before = textsOf(given);
        for (const [index, now] of textsOf(after).entries()) {
          if (now === before[index]) continue;
          const kept = now.replace(NOTICE, "");
          expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(LIMITS.maxBytes);
          expect(kept.split("\n").length).toBeLessThanOrEqual(LIMITS.maxLines + 1);
          expect(await archive.get(HANDLE.exec(now)?.[0] ?? "")).toBe(before[index]);
        }
        const whole = textsOf(after).map((one) => one.replace(NOTICE, ""));
        const [all, most] = [before, whole].map((texts) => Buffer.byteLength(texts.join("")));
        if (all! <= LIMITS.maxBytes / 2 && before.join("\n").split("\n").length < LIMITS.maxLines) {
          expect(answer).toBe(response);
        }
        // The fields that are no output (a path, a status) are small here.
        expect(most).toBeLessThanOrEqual(LIMITS.maxBytes + 500);
      }),
      { numRuns: runs(60, 3_000) },
    );
  });

  it("is the same object where nothing in it is for a model", async () => {
    await fc.assert(
      fc.asyncProperty(others, async ([tool, response]) => {
        const archive = memoryArchive();
        const small = JSON.stringify(response).length <= LIMITS.maxBytes / 2;
        const after = await truncated(tool, response, archive);
        if (["Edit", "Read", "Bash"].includes(tool) || small) expect(after).toBe(response);
        else expect(shapeOf(after)).toEqual(shapeOf(response));
      }),
      { numRuns: runs(60, 3_000) },
    );
  });

  it("that Claude Code saved in a file has both its ends, and a handle for the whole", async () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), "longhaul-test-"));
    const file = path.join(folder, "saved.txt");
    const whole = Array.from({ length: 50_000 }, (_, at) => `line ${at}\n`).join("");
    writeFileSync(file, whole);
    const archive = directoryArchive(path.join(folder, "archive"));
    const response = {
      stdout: whole.slice(0, 30_000),
      stderr: "",
      interrupted: false,
      persistedOutputPath: file,
      persistedOutputSize: whole.length,
    };
    const limits = { maxBytes: 20_000 };
    const facts = { toolName: "Bash", input: {}, limits, archive };
    const after = (await truncateResponse(response, facts)) as typeof response;
    expect(Object.keys(after)).toEqual(["stdout", "stderr", "interrupted"]);
    expect(after.stdout).toMatch(/^line 0\n[^]*line 49999\n<tool-output-truncated/);
    expect(Buffer.byteLength(after.stdout.replace(NOTICE, ""))).toBeLessThanOrEqual(4_000);
    expect(await archive.get(HANDLE.exec(after.stdout)?.[0] ?? "")).toBe(whole);
  });

  it("that names a file which is gone fails, so that the hook says nothing", async () => {
    const response = { stdout: "x".repeat(3_000), persistedOutputPath: "/nowhere/at/all.txt" };
    await expect(truncated("Bash", response, memoryArchive())).rejects.toThrow("ENOENT");
  });
});
