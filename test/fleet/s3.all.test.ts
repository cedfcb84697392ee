import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { ArchiveJournal } from "../../src/archive/archive.ts";
import { s3Archive, type S3Archive, type S3Sender } from "../../src/entry/s3.ts";
import { createContext } from "../../src/index.ts";
import { describeArchive } from "../conformance/describe-archive.ts";
import { work } from "./replicas.ts";
import { HAS_S3, type S3Server, startS3 } from "./bucket.ts";

let server: S3Server;
let prefixes = 0;

const newPrefix = (): string => `p${++prefixes}/`;

function archiveIn(prefix: string): S3Archive {
  return s3Archive({ bucket: "tests", prefix });
}

describe.skipIf(!HAS_S3)("archives in S3", () => {
  beforeAll(async () => {
    server = await startS3();
    for (const [name, value] of Object.entries(server.env)) vi.stubEnv(name, value);
    await server.bucket("tests");
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await server.stop();
  });

  describeArchive(
    "s3",
    async () => archiveIn("kit").conversation(`new ${++prefixes}`),
    async () => {
      const store = archiveIn(newPrefix());
      return (id) => store.conversation(id);
    },
  );

  it("keeps the entries of a journal whole and in order that many add at once", async () => {
    const prefix = newPrefix();
    const writers = [archiveIn(prefix), archiveIn(prefix), archiveIn(prefix)];
    const entries = writers.flatMap((writer, at) =>
      [0, 1, 2].map((count) => ({
        writer,
        entry: { at, count, text: `\u0000${at}`.repeat(100_000) },
      })),
    );
    await Promise.all(entries.map(({ writer, entry }) => writer.journal.append(entry)));
    const read = await writers[0]!.journal.read();
    expect(read).toHaveLength(entries.length);
    expect(new Set(read.map((one) => JSON.stringify(one)))).toEqual(
      new Set(entries.map(({ entry }) => JSON.stringify(entry))),
    );
    expect(await writers[2]!.journal.read()).toEqual(read);
  });

  it("asks once whether a journal is longer, and for what is new in it alone", async () => {
    const prefix = newPrefix();
    const other = archiveIn(prefix).journal;
    for (let at = 0; at < 30; at++) await other.append({ at });
    let asked: string[] = [];
    const client: S3Sender = {
      async send(command: { readonly constructor: { readonly name: string } }) {
        const answer = await server.client.send(command as never);
        const { KeyCount } = answer as { readonly KeyCount?: number };
        asked.push(`${command.constructor.name} ${KeyCount ?? ""}`.trim());
        return answer;
      },
    };
    const { journal } = s3Archive({ bucket: "tests", prefix, client });
    const before = (await journal.count?.()) ?? 0;
    await journal.read();
    asked = [];
    expect(await journal.count?.()).toBe(before);
    expect(asked.splice(0)).toEqual(["ListObjectsV2Command 0"]);
    await other.append({ at: 30 });
    expect(await journal.count?.()).toBe(before + 1);
    expect(asked.splice(0)).toEqual(["ListObjectsV2Command 1"]);
    expect(await journal.read()).toHaveLength(31);
    expect(asked).toEqual(["ListObjectsV2Command 0", "GetObjectCommand"]);
    // An entry that is added here, too, is found as others find it.
    await journal.append({ at: 31 });
    expect(await other.read()).toEqual(await journal.read());
    expect(await other.count?.()).toBe(await journal.count?.());
  });

  it.each([
    ["a bucket that is not there", { bucket: "nowhere" }, {}, "There is no such bucket"],
    ["a wrong secret", {}, { AWS_SECRET_ACCESS_KEY: "hidden-word" }, "check AWS_ACCESS_KEY_ID"],
    ["an unknown key", {}, { AWS_ACCESS_KEY_ID: "hidden-word" }, "check AWS_ACCESS_KEY_ID"],
    ["a server that is gone", { endpoint: "http://127.0.0.1:1" }, {}, "It cannot be reached"],
  ])("says what to do about %s, and shows no secret", async (_, options, env, advice) => {
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
    const archive = s3Archive({ bucket: "tests", ...options });
    const uses = [() => archive.list(), () => archive.put("out", "text"), archive.journal.read];
    for (const use of uses) {
      const error: unknown = await use().catch((reason: unknown) => reason);
      expect(error).toMatchObject({ code: "archive-failed" });
      expect(String(error)).toContain(advice);
      expect(JSON.stringify([String(error), error])).not.toMatch(/hidden-word|the-secret-of-tests/);
    }
    for (const [name, value] of Object.entries(server.env)) vi.stubEnv(name, value);
  });

  it("refuses a server that makes an object twice", async () => {
    const { client } = server;
    const careless = {
      send: (command: { readonly input: { IfNoneMatch?: string } }): Promise<unknown> => {
        delete command.input.IfNoneMatch;
        return client.send(command as never);
      },
    };
    const archive = s3Archive({ bucket: "tests", prefix: newPrefix(), client: careless });
    await expect(archive.journal.append({})).rejects.toThrow("in spite of `If-None-Match: *`");
  });

  it("goes on with a slow bucket, and when connections are cut in the middle of writes", async () => {
    const between = await startBetween(new URL(server.endpoint));
    const archive = s3Archive({ bucket: "tests", prefix: newPrefix(), endpoint: between.url });
    between.delayMs = 60;
    const { handle } = await archive.put("out", "slow");
    expect(await archive.get(handle)).toBe("slow");
    between.delayMs = 0;
    const work = Array.from({ length: 30 }, async (_, at) => {
      await archive.journal.append({ at });
      return archive.put("out", `text ${at} ${"x".repeat(300_000)}`);
    });
    const all = Promise.all(work);
    for (let cuts = 0; cuts < 6; cuts++) {
      await delay(60);
      between.cut();
    }
    const entries = await all;
    for (const [at, entry] of entries.entries()) {
      expect(await archive.get(entry.handle)).toBe(`text ${at} ${"x".repeat(300_000)}`);
    }
    expect(await archive.list()).toHaveLength(31);
    // A request sent twice, because an answer was lost, is known again: no entry stands twice.
    const told = (await archive.journal.read()) as { readonly at: number }[];
    expect(told.map(({ at }) => at).toSorted((a, b) => a - b)).toEqual(work.map((_, at) => at));
    between.stop();
  });

  it("finds an original that was altered in the bucket", async () => {
    const archive = archiveIn(newPrefix());
    const { handle } = await archive.put("out", "what was stored");
    const [object] = await archive.objects.list("conversations/");
    expect(object?.key).toContain(handle);
    await archive.objects.write(object?.key ?? "", "something else");
    await expect(archive.get(handle)).rejects.toMatchObject({ code: "archive-failed" });
  });

  it("lets one edit at a time, and the next one when it died, with its edit left out", async () => {
    const prefix = newPrefix();
    const [first, second] = [archiveIn(prefix).journal, archiveIn(prefix).journal];
    let working = 0;
    const edit = (journal: ArchiveJournal, name: string): Promise<void> | undefined =>
      journal.alone?.(async () => {
        expect(++working).toBe(1);
        const { length } = await journal.read();
        await delay(100);
        await journal.append({ name, length });
        working--;
      });
    await Promise.all([edit(first, "a"), edit(second, "b"), edit(archiveIn(prefix).journal, "c")]);
    const told = (await first.read()) as { readonly length: number }[];
    expect(told.map(({ length }) => length)).toEqual([0, 1, 2]);
    // One that is not heard of any more is followed by another one, and cannot store its edit then.
    const silent = s3Archive({ bucket: "tests", prefix, client: mutedRenewals() }).journal;
    let late: Promise<unknown> = Promise.resolve();
    await silent.alone?.(async () => {
      await edit(second, "d");
      late = silent.append({ late: true }).catch((error: unknown) => error);
      await late;
    });
    expect(String(await late)).toContain("has taken over");
    expect(await first.read()).toHaveLength(4);
  });

  /** A client that renews no lease, as that of a process which hangs. */
  const mutedRenewals = (): S3Sender => ({
    send: (command: { readonly input: { Key?: string; IfNoneMatch?: string } }) => {
      const isRenewal = /lease/.test(command.input.Key ?? "") && "Body" in command.input;
      if (isRenewal && command.input.IfNoneMatch === undefined) return Promise.resolve({});
      return server.client.send(command as never);
    },
  });

  it("is edited once by contexts that are asked at the same time, and a model is asked once", async () => {
    const prefix = newPrefix();
    let asked = 0;
    const contexts = [1, 2, 3].map(() =>
      createContext({
        window: 24_000,
        conversation: "shared",
        archive: archiveIn(prefix),
        summarizer: async () => {
          asked++;
          return `## Goal\n- Go on.\n${["Instructions", "Discoveries", "Accomplished", "Relevant files"].map((title) => `## ${title}\n- (none)\n`).join("")}`;
        },
      }),
    );
    const answers = await Promise.all(contexts.map((context) => context.prepare(work(45))));
    expect(answers.flatMap(({ report }) => report.failures)).toEqual([]);
    expect(new Set(answers.map(({ messages }) => JSON.stringify(messages))).size).toBe(1);
    expect(answers.filter(({ report }) => report.action !== "none")).toHaveLength(1);
    expect(await archiveIn(prefix).conversation("shared").journal.read()).toHaveLength(1);
    expect(asked).toBe(1);
  });

  it("removes what nobody used for long, and nothing that comes into use meanwhile", async () => {
    const prefix = newPrefix();
    const store = archiveIn(prefix);
    for (const at of [1, 2, 3]) await store.conversation(`old ${at}`).put("out", `text ${at}`);
    await store.conversation("with journal").journal.append({});
    const week = 7 * 24 * 3_600_000;
    expect(await store.collect({ maxAgeMs: week })).toEqual({ conversations: 0, bytes: 0 });
    await expect(store.collect({ maxAgeMs: 1 })).rejects.toMatchObject({ code: "invalid-options" });
    // In the moment that it is looked at as old, somebody uses one of them again.
    const user = archiveIn(prefix).conversation("old 2");
    const collector = s3Archive({ bucket: "tests", prefix, client: olderUses(8 * week, user) });
    expect(await collector.collect({ maxAgeMs: week })).toEqual({ conversations: 2, bytes: 12 });
    expect((await store.conversations()).toSorted()).toEqual(["old 2", "with journal"]);
    expect(await archiveIn(prefix).conversation("old 2").list()).toHaveLength(2);
    expect(await archiveIn(prefix).conversation("old 1").list()).toEqual([]);
    // Somebody who goes on with what was removed begins anew.
    const again = archiveIn(prefix).conversation("old 1");
    await again.put("out", "anew");
    expect(await archiveIn(prefix).conversation("old 1").list()).toHaveLength(1);
    const all = s3Archive({ bucket: "tests", prefix, client: olderUses(8 * week) });
    expect(await all.collect({ maxAgeMs: week, journals: true })).toMatchObject({
      conversations: 3,
    });
    expect(await store.objects.list("conversations/")).toEqual([]);
    expect(await store.conversations()).toEqual([]);
  });

  /** A client by which all uses are older; when they are listed, somebody uses a conversation. */
  function olderUses(ms: number, user?: S3Archive): S3Sender {
    let isUsed = false;
    return {
      async send(command: { readonly input: { Prefix?: string } }) {
        const answer = await server.client.send(command as never);
        const { Contents = [] } = answer as { Contents?: { Key: string; LastModified: Date }[] };
        const uses = Contents.filter(({ Key }) => Key.includes("/uses/"));
        for (const use of uses) use.LastModified = new Date(use.LastModified.getTime() - ms);
        if (uses.length > 1 && !isUsed) {
          isUsed = true;
          await user?.put("out", "used again");
        }
        return answer;
      },
    };
  }
});

/** A server between, which may be slow, and cuts its connections when it is told to. */
async function startBetween(to: URL): Promise<{
  readonly url: string;
  delayMs: number;
  cut(): void;
  stop(): void;
}> {
  const sockets = new Set<Socket>();
  const state = { delayMs: 0 };
  const server = createServer((near) => {
    const far = connect(Number(to.port), to.hostname);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
    }
    far.pipe(near);
    near.on("data", (bytes) => void setTimeout(() => far.write(bytes), state.delayMs));
    near.on("close", () => far.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const cut = (): void => sockets.forEach((socket) => socket.destroy());
  return Object.assign(state, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    stop() {
      cut();
      server.close();
    },
  });
}
