import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { postgresArchive } from "../../src/entry/postgres.ts";
import type { JournalEntry } from "../../src/context/journal.ts";
import type { Message } from "../../src/index.ts";
import { type Database, startDatabase } from "./database.ts";

interface Answer {
  readonly messages: readonly Message[];
  readonly action: string;
  readonly failures: readonly string[];
  readonly asked: number;
}

let database: Database;
const children: ChildProcess[] = [];

async function start(schema: string, hangs = ""): Promise<ChildProcess> {
  const child = fork(new URL("replica.ts", import.meta.url), [database.url, schema, hangs], {
    execArgv: ["--import", "tsx"],
  });
  children.push(child);
  await once(child, "message");
  return child;
}

function ask(child: ChildProcess, history: readonly Message[]): Promise<Answer> {
  const answer = new Promise<Answer>((resolve) => {
    const hear = (message: unknown): void => {
      if (message === "asked") return;
      child.off("message", hear);
      resolve(message as Answer);
    };
    child.on("message", hear);
  });
  child.send(history);
  return answer;
}

/** A request and so many steps of work, each about 600 tokens. */
function work(steps: number): Message[] {
  const history: Message[] = [
    { role: "user", parts: [{ type: "text", text: "Go through all logs. Never delete one." }] },
  ];
  for (let step = 1; step <= steps; step++) {
    const call = { toolCallId: `call_${step}`, toolName: "bash" };
    const text = `log ${step}: nothing to report today, line after line\n`.repeat(50);
    history.push(
      {
        role: "assistant",
        parts: [{ type: "tool-call", ...call, input: { command: `cat ${step}.log` } }],
      },
      { role: "tool", parts: [{ type: "tool-result", ...call, output: [{ type: "text", text }] }] },
    );
  }
  return history;
}

async function newStore(schema: string): Promise<ReturnType<typeof postgresArchive>> {
  const archive = postgresArchive({
    connectionString: database.url,
    schema,
    conversation: "shared",
  });
  await archive.migrate();
  return archive;
}

describe("one conversation on several replicas", () => {
  beforeAll(async () => void (database = await startDatabase()));
  afterAll(async () => {
    for (const child of children) child.kill("SIGKILL");
    await database.stop();
  });

  it("is edited once by six that are asked at the same time, and the same bytes leave each", async () => {
    const archive = await newStore("six");
    const replicas = await Promise.all(Array.from({ length: 6 }, () => start("six")));
    let steps = 20;
    for (let round = 1; round <= 3; round++) {
      steps += 25;
      const answers = await Promise.all(replicas.map((replica) => ask(replica, work(steps))));
      expect(new Set(answers.map(({ messages }) => JSON.stringify(messages))).size).toBe(1);
      expect(answers.filter(({ action }) => action !== "none")).toHaveLength(1);
      expect(answers.flatMap(({ failures }) => failures)).toEqual([]);
      expect(await archive.journal.read()).toHaveLength(round);
      expect(answers.reduce((sum, { asked }) => sum + asked, 0)).toBe(round);
    }
    await archive.close();
  });

  it("goes on in another when one is killed in the middle of an edit", async () => {
    const archive = await newStore("killed");
    const [first, second] = [await start("killed", "hangs"), await start("killed")];
    const asked = new Promise((resolve) => void first.once("message", resolve));
    void ask(first, work(45));
    expect(await asked).toBe("asked");
    first.kill("SIGKILL");
    const started = performance.now();
    const { messages, action, failures } = await ask(second, work(45));
    expect([action, failures]).toEqual(["compact", []]);
    expect(messages.length).toBeLessThan(60);
    // The lease of the dead one ends by the database's clock.
    expect(performance.now() - started).toBeLessThan(15_000);
    const entries = (await archive.journal.read()) as JournalEntry[];
    expect(entries).toHaveLength(1);
    const stored = new Set<string>((await archive.list()).map(({ handle }) => handle));
    const named =
      JSON.stringify(messages).match(/\b(?:head|out|in|msg|parts)_[0-9a-f]{16}\b/g) ?? [];
    expect(named.filter((handle) => !stored.has(handle))).toEqual([]);
    await archive.close();
  });

  it("lets an agent pass unedited, and says so, while the database is away", async () => {
    const archive = await newStore("away");
    const replica = await start("away");
    await ask(replica, work(5));
    await database.stop();
    const { messages, action, failures } = await ask(replica, work(45));
    expect(action).toBe("none");
    expect(messages).toEqual(work(45));
    expect(failures.join(" ")).toContain("It cannot be reached");
    await archive.close();
    database = await startDatabase();
  });
});
