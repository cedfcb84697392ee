import { describe, expect, it } from "vitest";
import { SUMMARIZER_FORMS, summarizerByName } from "../../src/models/by-name.ts";
import { json, scriptedFetch } from "./scripted-fetch.ts";
import { summaryRequest } from "./summary-request.ts";

const keys = { ANTHROPIC_API_KEY: "key-a", OPENAI_API_KEY: "key-o" };

describe("a name", () => {
  it.each([
    ["anthropic:claude-haiku-4-5", "anthropic:claude-haiku-4-5"],
    ["openai:gpt-5-mini", "openai:gpt-5-mini"],
    ["openai:ft:gpt-4o:org::id", "openai:ft:gpt-4o:org::id"],
    [
      "openai-compatible:http://localhost:11434/v1#qwen3:8b",
      "openai-compatible:http://localhost:11434/v1#qwen3:8b",
    ],
    [
      "openai-compatible:https://openrouter.ai/api/v1#z-ai/glm-5",
      "openai-compatible:https://openrouter.ai/api/v1#z-ai/glm-5",
    ],
  ])("%s", (name, expected) => {
    expect(summarizerByName(name, keys)).toMatchObject({ name: expected, reusesPrompt: false });
  });

  it("extractive needs no model", () => {
    expect(summarizerByName("extractive", {})).toBe("extractive");
  });

  it.each([
    "",
    "gpt-5",
    "anthropic",
    "anthropic:",
    "google:gemini",
    "openai-compatible:qwen3",
    "openai-compatible:http://localhost:1/v1",
    "openai-compatible:http://localhost:1/v1#",
    "openai-compatible:#qwen3",
    "EXTRACTIVE",
  ])("%j is unknown, and the forms are listed", (name) => {
    const make = (): unknown => summarizerByName(name, keys);
    expect(make).toThrow(expect.objectContaining({ code: "invalid-options" }));
    for (const form of SUMMARIZER_FORMS) expect(make).toThrow(form);
  });

  it.each([
    "sk-ant-api03-0123456789",
    "openai-compatible:https://example.com/v1?api_key=sk-ant-api03",
    "openai-compatible:https://me:sk-ant-api03@example.com",
  ])("a key in %j is not repeated", (name) => {
    expect(() => summarizerByName(name, keys)).toThrow(/There is no summarizer/);
    expect(() => summarizerByName(name, keys)).not.toThrow(/sk-ant-api03/);
  });

  it("with an address that is none says so", () => {
    expect(() => summarizerByName("openai-compatible:localhost#qwen3", {})).toThrow(
      /base URL .* is no address/,
    );
  });
});

describe("a key", () => {
  it.each([
    ["anthropic:m", "ANTHROPIC_API_KEY"],
    ["openai:m", "OPENAI_API_KEY"],
  ])("of %s that is missing is named", (name, variable) => {
    for (const env of [{}, { [variable]: "" }, { [variable]: " \n" }]) {
      expect(() => summarizerByName(name, env)).toThrow(
        expect.objectContaining({
          code: "invalid-options",
          message: `${name} needs a key; set ${variable}.`,
        }),
      );
    }
  });

  it.each([
    ["anthropic:m", { ANTHROPIC_BASE_URL: "http://localhost:1" }],
    ["openai:m", { OPENAI_BASE_URL: "http://localhost:1/v1" }],
    ["openai-compatible:http://localhost:1/v1#m", {}],
  ])("of %s is not needed at a place of one's own", (name, env) => {
    expect(summarizerByName(name, env)).toHaveProperty("summarize");
  });

  it("in the place of a model is not repeated", () => {
    for (const name of ["anthropic:sk-ant-api03-0123456789", "openai:sk-proj-0123456789"]) {
      expect(() => summarizerByName(name, {})).toThrow(/needs a key/);
      expect(() => summarizerByName(name, {})).not.toThrow(/0123456789/);
    }
  });

  it("comes from the environment that was given", async () => {
    const script = scriptedFetch(() => json({ choices: [{ message: {}, finish_reason: "stop" }] }));
    const env = { OPENAI_API_KEY: "key-o", OPENAI_COMPATIBLE_API_KEY: "key-c" };
    for (const name of ["openai:m", "openai-compatible:http://localhost:1#m"]) {
      const summarizer = summarizerByName(name, env, { fetch: script.fetch, window: 50_000 });
      if (summarizer === "extractive") throw new Error("a model was named");
      expect(summarizer.window).toBe(50_000);
      await summarizer.summarize(summaryRequest());
    }
    const sent = script.sent.map(({ headers }) => headers.get("authorization"));
    expect(sent).toEqual(["Bearer key-o", "Bearer key-c"]);
  });
});
