import { readFileSync } from "node:fs";
import path from "node:path";
import { createContext, runInContext } from "node:vm";
import { build, type Metafile } from "esbuild";
import { describe, expect, it } from "vitest";
import { step, user, words } from "../build-messages.ts";

const { imports } = JSON.parse(readFileSync("package.json", "utf8")) as {
  imports: Record<string, { default: string }>;
};
/** What the package names for whoever is not Node. */
const alias = Object.fromEntries(
  Object.entries(imports).map(([name, choice]) => [
    name,
    path.resolve(choice.default.replace("./dist/", "src/").replace(/js$/, "ts")),
  ]),
);

/** A door as a bundler for Workers makes it; what is loaded only when needed stays apart. */
async function bundle(entry: string): Promise<{ code: string; metafile: Metafile }> {
  const { outputFiles, metafile } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    metafile: true,
    format: "iife",
    globalName: "door",
    platform: "browser",
    alias,
    target: "es2023",
    logLevel: "silent",
  });
  return { code: outputFiles[0]?.text ?? "", metafile };
}

/** Nothing but what every Worker has: no process, no require, no Buffer. */
function worker(): object {
  return createContext({
    AbortController,
    AbortSignal,
    Headers,
    Response,
    TextDecoder,
    TextEncoder,
    URL,
    btoa,
    clearTimeout,
    crypto,
    performance,
    setTimeout,
    structuredClone,
  });
}

const history = [
  user("do the work"),
  ...Array.from({ length: 60 }, (_, n) => [
    ...step(`c${n}`, "bash", { command: `run ${n}` }, words(100, `${n}`)),
    { role: "assistant" as const, parts: [{ type: "text" as const, text: words(300, `${n}`) }] },
  ]).flat(),
];

describe.each([
  ["longhaul", "src/index.ts"],
  ["longhaul/core", "src/core.ts"],
  ["longhaul/tokens", "src/tokens.ts"],
  ["longhaul/dialects", "src/dialects/index.ts"],
  ["longhaul/archive", "src/archive.ts"],
  ["longhaul/ai-sdk", "src/hooks/ai-sdk/index.ts"],
  ["longhaul/anthropic", "src/hooks/anthropic/index.ts"],
  ["longhaul/openai", "src/hooks/openai/index.ts"],
  ["longhaul/openai-agents", "src/hooks/openai-agents/index.ts"],
  ["longhaul/langchain", "src/hooks/langchain/index.ts"],
  ["longhaul/mastra", "src/hooks/mastra/index.ts"],
  ["longhaul/models", "src/models/index.ts"],
])("%s in a Worker", (_, entry) => {
  it("imports no SDK and nothing of Node", async () => {
    const { metafile } = await bundle(entry);
    const imports = Object.values(metafile.inputs).flatMap((input) =>
      input.imports.map(({ path }) => path),
    );
    const foreign = imports.filter((path) =>
      /^node:|^node_modules\/(?!re2js|eventsource)/.test(path),
    );
    expect(foreign).toEqual([]);
  });
});

describe("a context in a Worker", () => {
  it("compacts, keeps the original in memory and gives it back", async () => {
    const { code } = await bundle("src/index.ts");
    const script = `${code}
      (async () => {
        const context = door.createContext({ window: 16000 });
        const { messages, report } = await context.prepare(JSON.parse(${JSON.stringify(JSON.stringify(history))}));
        const head = await context.recall(report.head.handle);
        return JSON.stringify({ action: report.action, count: messages.length, head: head.length });
      })()`;
    const result = JSON.parse((await runInContext(script, worker())) as string) as object;
    expect(result).toMatchObject({ action: "compact" });
    expect(result).toHaveProperty("head", expect.any(Number));
  });

  it("runs prepareStep of the AI SDK's door", async () => {
    const { code } = await bundle("src/hooks/ai-sdk/index.ts");
    const script = `${code}
      (async () => {
        const context = door.aiSdkContext({ window: 16000 });
        const text = "all is well and there is nothing to report today. ".repeat(40);
        const messages = Array.from({ length: 90 }, (_, n) =>
          n % 2 === 0 ? { role: "user", content: "question " + n } : { role: "assistant", content: n + text });
        messages.push({ role: "user", content: "and now?" });
        const step = await context.prepareStep({ messages, steps: [], stepNumber: 0 });
        return JSON.stringify({ sent: step.messages.length, last: step.messages.at(-1).content });
      })()`;
    const result = JSON.parse((await runInContext(script, worker())) as string) as {
      sent: number;
      last: string;
    };
    expect(result.sent).toBeLessThan(91);
    expect(result.last).toBe("and now?");
  });
});
