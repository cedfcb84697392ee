import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import * as ai6 from "ai";
import * as ai7 from "ai7";
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { directoryArchive } from "../../src/archive/directory.ts";
import { aiSdkContext } from "../../src/hooks/ai-sdk/index.ts";
import { fakeModel } from "../hooks/ai-sdk/fake-model.ts";
import { programsOf, runnable } from "./page-code.ts";

const blocks = programsOf("docs/ai-sdk.md").map(runnable);

type Values = Readonly<Record<string, unknown>>;

/** Runs a piece of the page with these names, and gives what `result` names. */
async function run(code: string, names: Values, result: string): Promise<unknown> {
  const body = `return (async () => { ${code}; return ${result}; })()`;
  // What the page shows is what runs.
  // oxlint-disable-next-line typescript/no-implied-eval
  const work = new Function(...Object.keys(names), body) as (...values: unknown[]) => unknown;
  return work(...Object.values(names));
}

describe.each([
  { version: 6 as const, sdk: ai6, stepCountIs: ai6.stepCountIs },
  { version: 7 as const, sdk: ai7, stepCountIs: ai7.isStepCount },
])("the page, with ai $version", ({ version, sdk, stepCountIs }) => {
  const { generateText, streamText, ToolLoopAgent, wrapLanguageModel, convertToModelMessages } =
    sdk;
  const names = {
    generateText,
    streamText,
    ToolLoopAgent,
    wrapLanguageModel,
    convertToModelMessages,
  };
  const look = { inputSchema: z.object({}), execute: async () => "nothing" };
  const given = (): Values & { readonly model: unknown } => {
    const { model } = fakeModel({
      version,
      answer: (_, index) =>
        index === 0 ? { calls: [{ name: "look", input: {} }] } : { text: "Hello." },
    });
    const messages = [{ role: "user", content: "Hi" }];
    return { ...names, stepCountIs, aiSdkContext, model, messages, tools: { look } };
  };

  it("starts with all of it", async () => {
    const saved = (await run(blocks[0]!, given(), "saved")) as { role: string }[];
    expect(saved.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant"]);
  });

  it("goes on with an agent", async () => {
    const context = aiSdkContext({ window: 32_000 });
    expect(await run(blocks[1]!, { ...given(), context }, "text")).toBe("Hello.");
  });

  it("has the route of a chat", async () => {
    const database = new Map<string, unknown[]>();
    const folder = mkdtempSync(path.join(tmpdir(), "longhaul-docs-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
    const values = {
      ...given(),
      directoryArchive,
      folder,
      appTools: { look },
      load: async (id: string) => database.get(id) ?? [],
      save: (id: string, all: unknown[]) => void database.set(id, all),
    };
    const route = (await run(blocks[2]!, values, "POST")) as (
      request: Request,
    ) => Promise<Response>;
    const message = { id: "1", role: "user", parts: [{ type: "text", text: "Hi" }] };
    const body = JSON.stringify({ id: "chat", message });
    const response = await route(new Request("http://localhost", { method: "POST", body }));
    expect(await response.text()).toContain("Hello.");
    expect(database.get("chat")).toHaveLength(2);
  });

  it("takes a model for summaries", async () => {
    const values = { ...given(), cheapModel: given().model };
    expect(await run(blocks[3]!, values, "typeof context.prepareStep")).toBe("function");
  });

  it("may do with the middleware", async () => {
    const context = aiSdkContext({ window: 32_000 });
    const { model: plain } = fakeModel({ version, answer: () => ({ text: "Hello." }) });
    const { model: _, ...rest } = given();
    expect(await run(blocks[4]!, { ...rest, context, plain }, "text")).toBe("Hello.");
    expect(blocks).toHaveLength(5);
  });
});
