import * as fs from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { directoryArchive } from "../../src/archive/directory.ts";
import { createContext } from "../../src/context/create-context.ts";
import { openOriginal } from "../../src/archive/reading.ts";
import { step, user } from "../build-messages.ts";

/** More than a string can hold, in one turn. */
const STEPS = 6_000;
const OUTPUT = "The quick brown fox reads the log and says: all is well.\n".repeat(1_800);

it(
  "a turn of 600 MB is compacted, and all of it is in the archive",
  { timeout: 600_000 },
  async () => {
    const folder = await fs.mkdtemp(join(tmpdir(), "longhaul-large-"));
    try {
      const archive = directoryArchive(folder);
      const context = createContext({ window: 128_000, archive });
      const history = [
        user("watch the logs"),
        ...Array.from({ length: STEPS }, (_, n) =>
          step(`c${n}`, "bash", { command: `tail log.${n}` }, `${n}: ${OUTPUT}`),
        ).flat(),
      ];
      const { messages, report } = await context.prepare(history);
      expect(report.failures).toEqual([]);
      expect(messages.length).toBeLessThan(20);
      const reader = await openOriginal(archive, report.head?.handle ?? "");
      expect(reader.bytes).toBeGreaterThan(STEPS * OUTPUT.length * 0.99);
      await reader.close();
      await expect(context.recall(report.head?.handle ?? "")).rejects.toMatchObject({
        code: "limit-exceeded",
      });
    } finally {
      await fs.rm(folder, { recursive: true, force: true });
    }
  },
);
