import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { programsOf } from "./page-code.ts";

const AI_SDK = `
import { anthropic } from "@ai-sdk/anthropic";
declare const model: ReturnType<typeof anthropic>;`;

/** What the programs of a page take for given, beside what another one of them imports. */
const GIVEN: Readonly<Record<string, string>> = {
  "README.md": `
import type { Message } from "longhaul";
declare const history: Message[];
declare const context: ReturnType<typeof createContext>;
declare const myTools: { read(input: { path: string }): Promise<string> };`,
  "docs/ai-sdk.md": `${AI_SDK}
import { convertToModelMessages, streamText, ToolLoopAgent } from "ai";
import type { ModelMessage, Tool, UIMessage } from "ai";
declare const context: ReturnType<typeof aiSdkContext>;
declare const [cheapModel, plain]: [typeof model, typeof model];
declare const messages: ModelMessage[];
declare const tools: { look: Tool<{ path: string }, string> };
declare const appTools: typeof tools;
declare const folder: string;
declare function load(id: string): Promise<UIMessage[]>;
declare function save(id: string, all: UIMessage[]): void;`,
  "docs/anthropic.md": "",
  "docs/openai.md": `
declare const client: OpenAI;
declare const context: ReturnType<typeof openaiContext>;
declare const messages: OpenAI.ChatCompletionMessageParam[];`,
  "docs/openai-agents.md": `
import { directoryArchive } from "longhaul/archive/directory";
declare const [chatId, folder]: [string, string];`,
  "docs/langchain.md": `
import type { ChatAnthropic } from "@langchain/anthropic";
import type { BaseMessage } from "@langchain/core/messages";
import type { DynamicStructuredTool } from "langchain";
declare const model: ChatAnthropic;
declare const tools: DynamicStructuredTool[];
declare const messages: BaseMessage[];
declare const [folder, question]: [string, string];`,
  "docs/mastra.md": `${AI_SDK}
import type { MastraMemory } from "@mastra/core/memory";
declare const memory: MastraMemory;
declare const [instructions, folder, question]: [string, string, string];`,
  "docs/persistence.md": "",
  "docs/telemetry.md": "",
  "docs/models.md": `
import type { Message } from "longhaul";
interface Asked { readonly maxTokens: number; readonly signal: AbortSignal }
declare const history: Message[];
declare function myModel(system: string, user: string, asked: Asked): Promise<{ text: string; stopped: boolean }>;`,
};

/** A page as one module: each program has a scope of its own, and the imports of all. */
function moduleOf(page: string): string {
  const programs = programsOf(page);
  const imports = new Set(programs.flatMap((code) => code.match(/^import .*$/gm) ?? []));
  const bodies = programs.map((code, at) => {
    const body = code.replaceAll(/^import .*$/gm, "");
    return `export async function program${at}() {\n${body}\n}`;
  });
  return [...imports, GIVEN[page], ...bodies].join("\n");
}

/** Where the packages of AI SDK 7 are that are installed beside those of 6. */
const AI_7 = { ai: "ai7", "@ai-sdk/anthropic": "ai7-anthropic" };

test.each([
  { sdks: "those of the pages", pages: Object.keys(GIVEN), packages: {} },
  { sdks: "AI SDK 7", pages: ["docs/ai-sdk.md"], packages: AI_7 },
])("what the pages show has the types of $sdks", ({ pages, packages }) => {
  // Where packages are found, and nothing else looks.
  const folder = path.resolve(`node_modules/.cache/longhaul-pages-${process.pid}`);
  mkdirSync(folder, { recursive: true });
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const files = pages.map((page) => `${path.basename(page, ".md")}.ts`);
  pages.forEach((page, at) => writeFileSync(path.join(folder, files[at]!), moduleOf(page)));
  writeFileSync(path.join(folder, "tsconfig.json"), JSON.stringify(configOf(files, packages)));
  const tsc = path.resolve("node_modules/typescript/bin/tsc");
  const { stdout } = spawnSync(process.execPath, [tsc, "-p", folder], { encoding: "utf8" });
  expect(stdout).toBe("");
});

function configOf(files: readonly string[], packages: Readonly<Record<string, string>>): object {
  const root = "../../..";
  const sources = ["ai-sdk", "anthropic", "openai", "openai-agents", "langchain", "mastra"];
  const paths = {
    longhaul: [`${root}/src/index.ts`],
    ...Object.fromEntries(
      ["archive", "core", "tokens"].map((door) => [`longhaul/${door}`, [`${root}/src/${door}.ts`]]),
    ),
    "longhaul/archive/directory": [`${root}/src/entry/directory.ts`],
    ...Object.fromEntries(
      sources.map((door) => [`longhaul/${door}`, [`${root}/src/hooks/${door}/index.ts`]]),
    ),
    "longhaul/*": [`${root}/src/*/index.ts`],
    ...Object.fromEntries(
      Object.entries(packages).map(([name, real]) => [name, [`${root}/node_modules/${real}`]]),
    ),
  };
  const compilerOptions = {
    noEmit: true,
    allowImportingTsExtensions: true,
    declaration: false,
    noUnusedLocals: false,
    noUnusedParameters: false,
    lib: ["es2023", "dom", "dom.iterable"],
    types: ["node"],
    paths,
  };
  return { extends: `${root}/tsconfig.base.json`, compilerOptions, files };
}
