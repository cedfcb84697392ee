import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { readTranscript, transcriptFormats } from "../../src/transcripts/index.ts";
import { recording, RECORDINGS } from "../recordings.ts";

describe("transcriptFormats", () => {
  it("has each format once in each shape", () => {
    const keys = transcriptFormats.map(({ name, shape }) => `${name} ${shape}`);
    expect(new Set(keys).size).toBe(keys.length);
    expect(transcriptFormats.every(({ name }) => /^[a-z]+(-[a-z]+)*$/.test(name))).toBe(true);
  });

  it("says why it does not fit, in one clause, whatever it is shown", () => {
    const strange = [
      null,
      1,
      "x",
      [],
      {},
      [null],
      [[]],
      { messages: 1 },
      { type: 7 },
      [{ role: 0 }],
    ];
    for (const format of transcriptFormats) {
      const reasons =
        format.shape === "text"
          ? ["", "{", "\0", "hello"].map((head) => format.detect(head))
          : format.shape === "records"
            ? [...strange.map((value) => format.detect([value])), format.detect([])]
            : strange.map((value) => format.detect(value));
      for (const reason of reasons.filter((each) => each !== true)) {
        expect(`${format.name}: ${reason}`).toMatch(/^[^.\n]+$/);
      }
    }
  });

  it.skipIf(!existsSync(RECORDINGS))("recognises every recording by its content", async () => {
    const manifest = JSON.parse(readFileSync(path.join(RECORDINGS, "manifest.json"), "utf8")) as {
      files: { file: string; format: string }[];
    };
    for (const { file, format } of manifest.files) {
      const transcript = await readTranscript(recording(file));
      expect({ file, format: transcript.format }).toEqual({ file, format });
    }
  });
});
