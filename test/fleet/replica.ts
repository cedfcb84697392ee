/**
 * Some replicas of an agent in one process: says `ready`, gets lists of messages, answers with what
 * each would send and how often their models were asked.
 */
import { createContext, type Message } from "../../src/index.ts";
import { openArchive } from "../../src/archive/open.ts";
import type { ReplicaOptions } from "./replicas.ts";

const [address = "", given = "{}"] = process.argv.slice(2);
const { hangs = false, contexts = 1, skewMs = 0 } = JSON.parse(given) as ReplicaOptions;
const clock = Date.now;
Date.now = () => clock() + skewMs;

let asked = 0;
const archive = await openArchive(address);
const replicas = Array.from({ length: contexts }, () =>
  createContext({
    window: 24_000,
    conversation: "shared",
    archive,
    summarizer: async () => {
      asked++;
      process.send?.("asked");
      await new Promise((done) => setTimeout(done, hangs ? 60_000 : 300));
      return "## Goal\n- Go through all logs.\n## Instructions\n- (none)\n## Discoveries\n- (none)\n## Accomplished\n- (none)\n## Relevant files\n- (none)";
    },
  }),
);

async function answer(history: Message[]): Promise<void> {
  const prepared = await Promise.all(replicas.map((context) => context.prepare(history)));
  process.send?.({
    lists: prepared.map(({ messages }) => messages),
    actions: prepared.map(({ report }) => report.action),
    failures: prepared.flatMap(({ report }) => report.failures.map(({ message }) => message)),
    asked,
  });
}

process.on("message", (history: Message[]) => void answer(history));
process.send?.("ready");
