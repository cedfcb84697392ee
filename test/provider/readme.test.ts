import { readFileSync } from "node:fs";
import Anthropic from "@anthropic-ai/sdk";
import { expect, test } from "vitest";
import { startUpstream, type Upstream } from "./index.ts";

test("the example of the page runs", async () => {
  const page = readFileSync(new URL("README.md", import.meta.url), "utf8");
  const code = /```ts\n([^]*?)```/.exec(page)?.[1] ?? "";
  expect(code.match(/^import .*$/gm)).toEqual([
    'import Anthropic from "@anthropic-ai/sdk";',
    'import { startUpstream } from "./index.ts";',
  ]);
  const body = code.replace(/^import .*$/gm, "");
  // What the page shows is what runs.
  // oxlint-disable-next-line typescript/no-implied-eval
  const run = new Function(
    "Anthropic",
    "startUpstream",
    `return (async () => { ${body}; return { answer, refusals, totals }; })()`,
  ) as (...values: unknown[]) => Promise<Pick<Upstream, "refusals" | "totals"> & Found>;
  const { answer, refusals, totals } = await run(Anthropic, startUpstream);
  expect(answer.content).toMatchObject([{ type: "thinking" }, { type: "tool_use", name: "read" }]);
  expect(refusals).toEqual([]);
  expect(totals).toMatchObject({ requests: 1, cacheRead: 0 });
});

interface Found {
  readonly answer: { readonly content: readonly object[] };
}
