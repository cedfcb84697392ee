import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  compact,
  contextBudget,
  createContext,
  memoryArchive,
  truncateOutput,
} from "../../src/index.ts";
import type { Message } from "../../src/index.ts";
import { wrapTools } from "../../src/index.ts";
import { recallRange, searchArchive } from "../../src/archive.ts";
import * as core from "../../src/core.ts";
import { collectGarbage, directoryArchive } from "../../src/entry/directory.ts";
import { postgresArchive } from "../../src/entry/postgres.ts";
import { s3Archive } from "../../src/entry/s3.ts";
import { aiSdkContext } from "../../src/hooks/ai-sdk/index.ts";
import { anthropicContext } from "../../src/hooks/anthropic/index.ts";
import { langchainContext } from "../../src/hooks/langchain/index.ts";
import { mastraContext } from "../../src/hooks/mastra/index.ts";
import { agentsContext } from "../../src/hooks/openai-agents/index.ts";
import { openaiContext } from "../../src/hooks/openai/index.ts";
import {
  aiSdkSummarizer,
  anthropicSummarizer,
  openaiCompatibleSummarizer,
  summarizerByName,
} from "../../src/models/index.ts";
import { createSpill, runCommand } from "../../src/spill/index.ts";
import { telemetry } from "../../src/telemetry/index.ts";
import { readTranscript } from "../../src/transcripts/index.ts";

const NOBODYS = { widnow: 1 };
const MESSAGES: readonly Message[] = [{ role: "user", parts: [{ type: "text", text: "Hello." }] }];
const HANDLE = "out_0123456789abcdef";
const MODEL = { modelId: "m", provider: "p", specificationVersion: "v3", doGenerate() {} };

/** Every public function that takes options, with a name among them that there is not. */
const CALLS: Readonly<Record<string, () => unknown>> = {
  createContext: () => createContext(NOBODYS as object),
  compact: () => compact(MESSAGES, NOBODYS as object),
  "prepare of a context": () => createContext().prepare(MESSAGES, NOBODYS as object),
  "truncate of a context": () => createContext().truncate("x", NOBODYS as object),
  "subAgent of a context": () => createContext().subAgent(NOBODYS as object),
  contextBudget: () => contextBudget(NOBODYS as object),
  memoryArchive: () => memoryArchive(NOBODYS as object),
  truncateOutput: () => truncateOutput("x", NOBODYS as object),
  wrapTools: () => wrapTools({}, NOBODYS as object),
  directoryArchive: () => directoryArchive("nowhere", NOBODYS as object),
  collectGarbage: () => collectGarbage("nowhere", NOBODYS as object),
  postgresArchive: () => postgresArchive(NOBODYS as object),
  "collect of postgresArchive": () => postgresArchive().collect({ maxAgeMs: 1, ...NOBODYS }),
  s3Archive: () => s3Archive({ bucket: "agents", ...NOBODYS }),
  "collect of s3Archive": () =>
    s3Archive({ bucket: "agents" }).collect({ maxAgeMs: 1, ...NOBODYS }),
  recallRange: () => recallRange(memoryArchive(), HANDLE, NOBODYS as object),
  searchArchive: () => searchArchive(memoryArchive(), "x", NOBODYS as object),
  createSpill: () => createSpill(NOBODYS as object),
  runCommand: () => runCommand({ command: "true", ...NOBODYS }),
  aiSdkSummarizer: () => aiSdkSummarizer({ model: MODEL as never, ...NOBODYS }),
  anthropicSummarizer: () => anthropicSummarizer({ model: "m", ...NOBODYS }),
  openaiCompatibleSummarizer: () => openaiCompatibleSummarizer({ model: "m", ...NOBODYS }),
  summarizerByName: () =>
    summarizerByName("openai-compatible:http://localhost#m", {}, NOBODYS as object),
  readTranscript: () => readTranscript("nowhere", NOBODYS as object),
  "limits of readTranscript": () => readTranscript("nowhere", { limits: NOBODYS as object }),
  telemetry: () => telemetry(NOBODYS as object),
  pruneToolOutputs: () => core.pruneToolOutputs(MESSAGES, NOBODYS as object),
  buildContinuation: () => core.buildContinuation(MESSAGES, NOBODYS as object),
  extractLedger: () => core.extractLedger(MESSAGES, NOBODYS as object),
  planContext: () =>
    core.planContext(MESSAGES, {
      ...core.planDefaults(),
      budget: contextBudget(),
      now: 0,
      ...NOBODYS,
    }),
  aiSdkContext: () => aiSdkContext(NOBODYS as object),
  anthropicContext: () => anthropicContext(NOBODYS as object),
  langchainContext: () => langchainContext(NOBODYS as object),
  mastraContext: () => mastraContext(NOBODYS as object),
  agentsContext: () => agentsContext(NOBODYS as object),
  openaiContext: () => openaiContext(NOBODYS as object),
};

describe("a name among the options that there is not", () => {
  it.each(Object.entries(CALLS))("is refused by %s", async (_, call) => {
    await expect((async () => call())()).rejects.toThrow(/^There is no option widnow\./);
  });

  it("is looked for in every public function with options", () => {
    const api = readFileSync("docs/api.md", "utf8");
    const signatures = /^### (\w+)\n+```typescript\nfunction [^`]*?\b(?:options|meta)\??: /gm;
    const names = [...api.matchAll(signatures)].map(([, name]) => name!);
    expect(names.length).toBeGreaterThan(15);
    expect(names.filter((name) => !Object.hasOwn(CALLS, name))).toEqual([]);
  });
});
