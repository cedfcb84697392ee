import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { sample } from "../property/runs.ts";
import { allPrograms, type Program } from "./page-code.ts";

const AI_SDK = `
declare const model: ReturnType<typeof import("@ai-sdk/anthropic").anthropic>;`;
const CHAT_MODEL = `
declare const model: import("@langchain/anthropic").ChatAnthropic;
declare const tools: import("langchain").DynamicStructuredTool[];`;

/** What the first lines of a page's programs say that they need. */
const GIVEN: Readonly<Record<string, string>> = {
  "docs/ai-sdk.md": `${AI_SDK}
declare const context: import("longhaul/ai-sdk").AiSdkContext;
declare const [cheapModel, plain]: [typeof model, typeof model];
declare const messages: import("ai").ModelMessage[];
declare const tools: { look: import("ai").Tool<{ path: string }, string> };
declare const appTools: typeof tools;
declare const folder: string;
declare function load(id: string): Promise<import("ai").UIMessage[]>;
declare function save(id: string, all: import("ai").UIMessage[]): void;`,
  "docs/openai-agents.md": `
declare const [chatId, folder]: [string, string];`,
  "docs/langchain.md": `${CHAT_MODEL}
declare const messages: import("@langchain/core/messages").BaseMessage[];
declare const [folder, question]: [string, string];`,
  "docs/mastra.md": `${AI_SDK}
declare const memory: import("@mastra/core/memory").MastraMemory;
declare const [instructions, folder, question]: [string, string, string];`,
  "docs/summary.md": `
declare const summarizer: import("longhaul").Summarizer;
declare const history: import("longhaul").Message[];`,
  "docs/spill.md": `
declare const folder: string;
declare const response: Response;`,
  "docs/models.md": `
interface Asked { readonly maxTokens: number; readonly signal: AbortSignal }
declare const history: import("longhaul").Message[];
declare function myModel(system: string, user: string, asked: Asked): Promise<{ text: string; stopped: boolean }>;`,
};

/** What a program is given: on the page of the API, by the kind of its SDK. */
function givenTo({ page, code, needs }: Program): string {
  if (needs === undefined) return "";
  if (page !== "docs/api.md") return GIVEN[page] ?? "";
  return code.includes('"langchain"') ? CHAT_MODEL : AI_SDK;
}

/** A program as a module; what it is given, its own names may hide. */
function moduleOf(program: Program): string {
  const { code } = program;
  const imports = code.match(/^import [^;]*;$/gm) ?? [];
  const body = imports.reduce((rest, one) => rest.replace(one, ""), code);
  const given = givenTo(program);
  return `${imports.join("\n")}\n${given}\nexport async function program() {\n${body}\n}`;
}

/** Where the packages of AI SDK 7 are that are installed beside those of 6. */
const AI_7 = { ai: "ai7", "@ai-sdk/anthropic": "ai7-anthropic" };

const PACKAGES = [
  { sdks: "those of the pages", only: /./, packages: {} },
  { sdks: "AI SDK 7", only: /^docs\/ai-sdk\.md$/, packages: AI_7 },
];

test.each(sample(PACKAGES, 1))(
  "what the pages show has the types of $sdks",
  ({ only, packages }) => {
    // Where packages are found, and nothing else looks.
    const folder = path.resolve(`node_modules/.cache/longhaul-pages-${process.pid}`);
    mkdirSync(folder, { recursive: true });
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const programs = allPrograms().filter(({ page }) => only.test(page));
    const files = programs.map(({ name }) => `${name.replaceAll(/\W+/g, "-")}.ts`);
    programs.forEach((program, at) => {
      writeFileSync(path.join(folder, files[at]!), moduleOf(program));
    });
    writeFileSync(path.join(folder, "tsconfig.json"), JSON.stringify(configOf(files, packages)));
    const tsc = path.resolve("node_modules/typescript/bin/tsc");
    const { stdout } = spawnSync(process.execPath, [tsc, "-p", folder], { encoding: "utf8" });
    expect(stdout).toBe("");
  },
);

test("what the first line of a program needs is what it is given", () => {
  for (const [page, declared] of Object.entries(GIVEN)) {
    const needs = allPrograms().flatMap((one) => (one.page === page ? (one.needs ?? []) : []));
    const names = [...declared.matchAll(/declare (?:const|function) (\w+|\[[^\]]*\])/g)];
    const given = names.flatMap(([, named = ""]) => named.match(/\w+/g) ?? []);
    const untold = given.filter((name) => !needs.join().includes(`\`${name}\``));
    expect({ page, untold }).toEqual({ page, untold: [] });
  }
});

function configOf(files: readonly string[], packages: Readonly<Record<string, string>>): object {
  const root = "../../..";
  const sources = ["ai-sdk", "anthropic", "openai", "openai-agents", "langchain", "mastra"];
  const paths = {
    "#own-archive": [`${root}/src/archive/own-on-disk.ts`],
    longhaul: [`${root}/src/index.ts`],
    ...Object.fromEntries(
      ["archive", "core", "tokens"].map((door) => [`longhaul/${door}`, [`${root}/src/${door}.ts`]]),
    ),
    "longhaul/archive/directory": [`${root}/src/entry/directory.ts`],
    "longhaul/archive/postgres": [`${root}/src/entry/postgres.ts`],
    "longhaul/archive/s3": [`${root}/src/entry/s3.ts`],
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
