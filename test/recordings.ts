import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { sample } from "./property/runs.ts";

/**
 * Sessions that other agents recorded, a folder for each format. They are not part of the repository:
 * where this checkout has none beside it, the tests on them are skipped.
 */
export const RECORDINGS: string = path.resolve("../shared/transcripts");

/** Every recorded session, by its path in that folder. */
export const RECORDED_FILES: readonly string[] = existsSync(RECORDINGS)
  ? readdirSync(RECORDINGS, { recursive: true, encoding: "utf8" })
      .filter((file) => /\/.*\.(jsonl|json|md|traj)(\.gz)?$/.test(file))
      .toSorted()
  : [];

/** Some of them, from the first to the last, in `npm test`; all in `npm run test:all`. */
export const RECORDED_SAMPLE: readonly string[] = sample(RECORDED_FILES, 5);

/** The unpacked bytes of a recording. */
export function recording(file: string): Buffer {
  const bytes = readFileSync(path.join(RECORDINGS, file));
  return file.endsWith(".gz") ? gunzipSync(bytes) : bytes;
}
