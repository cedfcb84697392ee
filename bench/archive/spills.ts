/**
 * 10,000 outputs of 4 KB, spilled by four processes into one archive at once, and 100,000 handles
 * listed: `npx tsx bench/archive/spills.ts [SPILLS]`. Every spill is opened, written, synced and
 * committed; afterwards all of them are read back and compared.
 */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { directoryArchive } from "../../src/archive/directory.ts";
import { median } from "../speed/measure.ts";
import { figure, markdownTable } from "../speed/table.ts";

const PROCESSES = 4;
const BYTES = 4_096;
const AT_ONCE = 8;
const HANDLES = 100_000;

function contentOf(writer: number, index: number): string {
  return `${writer} ${index} `.repeat(BYTES).slice(0, BYTES);
}

async function write(folder: string, writer: number, count: number): Promise<void> {
  const archive = directoryArchive(folder, { retention: false });
  const spillEvery = async (from: number): Promise<void> => {
    for (let index = from; index < count; index += AT_ONCE) {
      const file = await archive.open?.("out");
      if (file === undefined) throw new Error("The archive has no files.");
      writeSync(file.fd, contentOf(writer, index));
      await file.commit();
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, (_, from) => spillEvery(from)));
}

async function spillAll(folder: string, count: number): Promise<readonly string[]> {
  const script = process.argv[1] ?? "";
  const start = performance.now();
  const children = Array.from({ length: PROCESSES }, async (_, writer) => {
    const args = [...process.execArgv, script, "--write", folder, String(writer), String(count)];
    const [code] = await once(spawn(process.execPath, args, { stdio: "inherit" }), "close");
    if (code !== 0) throw new Error(`A writer ended with ${String(code)}.`);
  });
  await Promise.all(children);
  const wall = performance.now() - start;
  const archive = directoryArchive(folder, { retention: false });
  const listed = new Map((await archive.list()).map((entry) => [entry.handle, entry]));
  let whole = 0;
  for (let writer = 0; writer < PROCESSES; writer++) {
    for (let index = 0; index < count; index++) {
      const content = contentOf(writer, index);
      const handle =
        `out_${createHash("sha256").update(content).digest("hex").slice(0, 16)}` as const;
      if (listed.has(handle) && (await archive.get(handle)) === content) whole++;
    }
  }
  const all = PROCESSES * count;
  return [
    `${all.toLocaleString("en-US")} spills of 4 KB from ${PROCESSES} processes`,
    `${figure(wall / 1_000)} s, ${figure((all / wall) * 1_000)} a second`,
    `${whole.toLocaleString("en-US")} whole, ${all - whole} lost or torn, ${listed.size - all} more than that`,
  ];
}

async function listAll(folder: string): Promise<readonly string[]> {
  for (let index = 0; index < HANDLES; index++) {
    const digits = createHash("sha256").update(`original ${index}`).digest("hex").slice(0, 16);
    mkdirSync(join(folder, digits.slice(0, 2)), { recursive: true });
    writeFileSync(join(folder, digits.slice(0, 2), `out_${digits}.txt`), `original ${index}`);
  }
  const archive = directoryArchive(folder, { retention: false });
  const walls: number[] = [];
  let found = 0;
  for (let run = 0; run < 7; run++) {
    const start = performance.now();
    found = (await archive.list()).length;
    walls.push(performance.now() - start);
  }
  return [
    `list() of ${HANDLES.toLocaleString("en-US")} handles`,
    `${figure(median(walls))} ms`,
    `${found.toLocaleString("en-US")} found`,
  ];
}

const [mode, folder = "", writer = "", count = ""] = process.argv.slice(2);
if (mode === "--write") {
  await write(folder, Number(writer), Number(count));
} else {
  const scratch = mkdtempSync(join(tmpdir(), "longhaul-bench-"));
  try {
    const rows = [
      await spillAll(join(scratch, "spills"), Number(mode ?? 10_000) / PROCESSES),
      await listAll(join(scratch, "handles")),
    ];
    process.stdout.write(`${markdownTable(["", "time", "result"], rows)}\n`);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
