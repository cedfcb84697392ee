import { cp, mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { createSampleFiles } from "../../recorded-session/seed-data.mjs";
import { INBOX } from "./task.ts";

const SEED = fileURLToPath(new URL("../../recorded-session/seed/", import.meta.url));

/** Puts the small program that the offline task is about into a folder, which is made. */
export async function createProject(folder: string): Promise<void> {
  await cp(SEED, folder, { recursive: true });
  const files = { "INBOX.md": INBOX, ...createSampleFiles() };
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(folder, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  }
}
