import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { directoryArchive } from "../../src/archive/directory.ts";
import { type Context, createContext } from "../../src/context/index.ts";
import type { Message } from "../../src/core/message/index.ts";

const page = readFileSync("docs/persistence.md", "utf8");

const history: Message[] = Array.from({ length: 40 }, (_, n) => [
  { role: "user" as const, parts: [{ type: "text" as const, text: `Question ${n}.` }] },
  {
    role: "assistant" as const,
    parts: [{ type: "text" as const, text: `Answer ${n}. ${"It is all right. ".repeat(1_800)}` }],
  },
]).flat();

test("the example on the page goes on in another context", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "longhaul-docs-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const code = /```ts\n([^]*?)```/.exec(page)?.[1]?.replace(/^import .*$/gm, "") ?? "";
  const here = (name: string) => directoryArchive(path.join(folder, name), { retention: false });
  // What the page shows is what runs.
  // oxlint-disable-next-line typescript/no-implied-eval
  const open = new Function("createContext", "directoryArchive", `${code}; return context;`) as (
    ...values: unknown[]
  ) => Context;
  const { messages } = await open(createContext, here).prepare(history);
  expect(messages.length).toBeLessThan(history.length);
  const again = await open(createContext, here).prepare(history);
  expect(again.report.action).toBe("none");
  expect(again.messages).toEqual(messages);
});
