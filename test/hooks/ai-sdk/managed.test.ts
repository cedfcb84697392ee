import { describe, expect, it } from "vitest";
import {
  managedByOptions,
  managedByMessage,
  managedByStep,
} from "../../../src/hooks/ai-sdk/model.ts";
import type { AiSdkStep } from "../../../src/hooks/ai-sdk/sdk.ts";

const thinking = { type: "clear_thinking_20251015", keep: "all" };
const tools = { type: "clear_tool_uses_20250919" };

describe("the settings of a call", () => {
  it.each([
    [{ anthropic: { contextManagement: { edits: [tools] } } }, "anthropic.contextManagement"],
    [{ anthropic: { compaction: { type: "summarize" } } }, "anthropic.compaction"],
    [{ anthropic: { thread: { type: "new" } } }, "anthropic.thread"],
    [{ openai: { contextManagement: [{ type: "compaction" }] } }, "openai.contextManagement"],
    [{ openai: { compactionTrigger: true } }, "openai.compactionTrigger"],
    [{ openai: { previousResponseId: "resp_1" } }, "openai.previousResponseId"],
    [{ openai: { conversation: "conv_1" } }, "openai.conversation"],
    [{ azure: { truncation: "auto" } }, "azure.truncation"],
  ])("%j", (options, name) => {
    expect(managedByOptions(options)).toBe(`providerOptions.${name}`);
  });

  it.each([
    undefined,
    {},
    { anthropic: { contextManagement: { edits: [thinking] } } },
    { anthropic: { thinking: { type: "enabled" } }, openai: { store: false } },
    { openai: { contextManagement: [], previousResponseId: null, compactionTrigger: false } },
    { openai: { truncation: "disabled" } },
  ])("%j is none of them", (options) => {
    expect(managedByOptions(options)).toBeUndefined();
  });
});

describe("a step that is done", () => {
  const step = (fields: Partial<AiSdkStep>): AiSdkStep => ({
    response: { messages: [] },
    ...fields,
  });

  it("tells what was sent, and what was done with it", () => {
    const body = { context_management: { edits: [tools] } };
    expect(managedByStep(step({ request: { body } }))).toBe("context_management in the request");
    const applied = { appliedEdits: [tools] };
    const providerMetadata = { anthropic: { contextManagement: applied } };
    expect(managedByStep(step({ providerMetadata }))).toBe(
      "providerMetadata.anthropic.contextManagement",
    );
  });

  it("tells nothing where nothing is managed", () => {
    expect(managedByStep(undefined)).toBeUndefined();
    expect(managedByStep(step({ request: { body: "{}" } }))).toBeUndefined();
    expect(managedByStep(step({ request: { body: { messages: [] } } }))).toBeUndefined();
    const providerMetadata = { anthropic: { contextManagement: { appliedEdits: [] } } };
    expect(managedByStep(step({ providerMetadata }))).toBeUndefined();
  });
});

describe("messages", () => {
  it.each([
    [{ type: "custom", kind: "openai.compaction", providerOptions: { openai: { itemId: "1" } } }],
    [{ type: "text", text: "…", providerOptions: { anthropic: { type: "compaction" } } }],
  ])("%j was left by the provider", (part) => {
    const messages = [{ role: "assistant" as const, content: [part] }];
    expect(messages.map(managedByMessage)).toContain("a compaction part");
  });

  it("may talk about compaction", () => {
    expect(
      [
        { role: "user" as const, content: "compaction" },
        { role: "assistant" as const, content: "compaction" },
        { role: "assistant" as const, content: [{ type: "text", text: "compaction" }] },
      ].find(managedByMessage),
    ).toBeUndefined();
  });
});
