// Compacts a recorded session once, keeps every original on disk, and gets one back.
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { compact } from "longhaul";
import { directoryArchive } from "longhaul/archive/directory";
import { readTranscript } from "longhaul/transcripts";

const session = fileURLToPath(new URL("recorded-session/session.json.gz", import.meta.url));
const archive = directoryArchive(await mkdtemp(path.join(tmpdir(), "longhaul-")));

const { conversations } = await readTranscript(session);
const { messages, report } = await compact(conversations[0]?.messages ?? [], {
  window: 64_000,
  archive,
});

console.log(`${report.messages.before} messages became ${messages.length}`);
console.log(report.summary?.sections["goal"]);
const head = await archive.get(report.head?.handle ?? "");
console.log(`the head is archived: ${head.trimEnd().split("\n").length} messages`);
