import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { reportFailure } from "../../src/context/index.ts";
import type { Context } from "../../src/context/index.ts";
import { createContext, type Failure } from "../../src/context/index.ts";
import { aiSdkContext as aiSdk } from "../../src/hooks/ai-sdk/index.ts";
import { anthropicContext as anthropic } from "../../src/hooks/anthropic/index.ts";
import { langchainContext as langchain } from "../../src/hooks/langchain/index.ts";
import { mastraContext as mastra } from "../../src/hooks/mastra/index.ts";
import { agentsContext as agents } from "../../src/hooks/openai-agents/index.ts";
import { openaiContext as openai } from "../../src/hooks/openai/index.ts";
import { user } from "../build-messages.ts";

const makers = {
  aiSdk,
  anthropic,
  langchain,
  mastra,
  openai,
  agents,
} as unknown as Readonly<Record<string, (options: unknown) => unknown>>;

describe.each(Object.entries(makers))("what is no options is refused: %s", (_door, make) => {
  it.each([
    ["gpt-5", 'The options are "gpt-5"; they must be an object, e.g. { window: 200_000 }.'],
    [null, "The options are null"],
    [[], "The options are an array"],
    [{ plugins: {} }, "The option plugins is an object; it must be an array"],
    [{ plugins: [null] }, "The option plugins"],
    [{ constraints: "be kind" }, 'The option constraints is "be kind"; it must be an array'],
    [{ constraints: [5] }, "The option constraints"],
  ])("%j", (options, message) => {
    expect(() => make(options)).toThrow(
      expect.objectContaining({
        code: "invalid-options",
        message: expect.stringContaining(message),
      }),
    );
  });
});

describe.each(Object.entries(makers))("the model of the agent: %s", (_door, make) => {
  it("names the window, and how it counts until usage is reported", async () => {
    const context = make({ model: "claude-opus-5" }) as Context;
    const { report } = await context.prepare([user("hello")]);
    expect(report.window).toBe(200_000);
    expect(report.tokens.assumed).toEqual({ factor: 1.5, family: "Claude from 4.6" });
    const other = context.subAgent({ model: "gpt-5" });
    const { report: theirs } = await other.prepare([user("hello")]);
    expect(theirs).toMatchObject({ window: 272_000, tokens: { assumed: { family: "GPT" } } });
  });
});

const warn = vi.spyOn(console, "warn");
beforeEach(() => void warn.mockReset().mockReturnValue());
afterEach(() => void warn.mockReset());

const doors: Readonly<Record<string, () => Pick<Context, "on">>> = {
  "ai-sdk": () => aiSdk({ window: 16_000 }),
  anthropic: () => anthropic({ window: 16_000 }),
  langchain: () => langchain({ window: 16_000 }),
  mastra: () => mastra({ window: 16_000 }),
  openai: () => openai({ window: 16_000 }),
  "openai-agents": () => agents({ window: 16_000 }),
};

describe.each(Object.entries(doors))("what fails in longhaul/%s", (_door, open) => {
  it("is said once on the console while nobody listens", () => {
    const context = open();
    reportFailure(context, new Error("the disk is full"));
    reportFailure(context, new Error("the disk is full"));
    expect(warn.mock.calls).toEqual([["longhaul: the disk is full"]]);
  });

  it("is for the listener where there is one", () => {
    const context = open();
    const failures: Failure[] = [];
    const stop = context.on("failed", (failure) => void failures.push(failure));
    reportFailure(context, new Error("the disk is full"));
    expect(failures).toEqual([{ code: "unexpected", message: "the disk is full" }]);
    expect(warn).not.toHaveBeenCalled();
    stop();
    reportFailure(context, new Error("and still is"));
    expect(warn).toHaveBeenCalledOnce();
  });
});

describe("a context of one's own", () => {
  it("is silent", () => {
    reportFailure(createContext({ window: 16_000 }), new Error("the disk is full"));
    expect(warn).not.toHaveBeenCalled();
  });
});

it("is for a plugin that listens, and not for the console", () => {
  const heard: string[] = [];
  const onEvent = ({ name }: { readonly name: string }): void => void heard.push(name);
  const plugged = anthropic({ window: 16_000, plugins: [{ name: "log", onEvent }] });
  reportFailure(plugged, new Error("no"));
  expect(heard).toEqual(["failed"]);
  expect(warn).not.toHaveBeenCalled();
});
