import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { createAnthropic as createAnthropic7 } from "ai7-anthropic";
import { createOpenAI as createOpenAI7 } from "ai7-openai";
import { createOpenAICompatible as createCompatible7 } from "ai7-openai-compatible";
import {
  aiSdkSummarizer,
  anthropicSummarizer,
  openaiCompatibleSummarizer,
  type Summarizer,
} from "../../src/models/index.ts";

/** No server takes it; long enough to be found wherever it might turn up. */
export const KEY = "sk-test-0123456789abcdefghijklmnop";

export interface DriverOptions {
  readonly url: string;
  readonly apiKey?: string;
  readonly reusesPrompt?: boolean;
}

/** A driver with everything that can stand behind it. */
export interface Driver {
  readonly name: string;
  readonly protocol: "anthropic" | "openai-chat";
  make(options: DriverOptions): Summarizer;
}

const model = "scripted-model";

function driver(
  name: string,
  protocol: Driver["protocol"],
  make: (options: Required<DriverOptions>) => Summarizer,
): Driver {
  return {
    name,
    protocol,
    make: ({ url, apiKey = KEY, reusesPrompt = false }) => make({ url, apiKey, reusesPrompt }),
  };
}

/** Plain fetch, streaming and not. */
export const httpDrivers: readonly Driver[] = [true, false].flatMap((stream) => [
  driver(`anthropic, stream ${stream}`, "anthropic", ({ url, ...rest }) =>
    anthropicSummarizer({ ...rest, model, baseURL: url, stream }),
  ),
  driver(`openai-compatible, stream ${stream}`, "openai-chat", ({ url, ...rest }) =>
    openaiCompatibleSummarizer({ ...rest, model, baseURL: `${url}/v1`, stream }),
  ),
]);

/** Models of the AI SDK, versions 6 and 7, with the real providers. */
export const aiSdkDrivers: readonly Driver[] = [
  driver("ai 6, Anthropic", "anthropic", ({ url, apiKey, ...rest }) =>
    aiSdkSummarizer({ ...rest, model: createAnthropic({ baseURL: `${url}/v1`, apiKey })(model) }),
  ),
  driver("ai 7, Anthropic", "anthropic", ({ url, apiKey, ...rest }) =>
    aiSdkSummarizer({ ...rest, model: createAnthropic7({ baseURL: `${url}/v1`, apiKey })(model) }),
  ),
  driver("ai 6, OpenAI", "openai-chat", ({ url, apiKey, ...rest }) =>
    aiSdkSummarizer({ ...rest, model: createOpenAI({ baseURL: `${url}/v1`, apiKey }).chat(model) }),
  ),
  driver("ai 7, OpenAI", "openai-chat", ({ url, apiKey, ...rest }) =>
    aiSdkSummarizer({
      ...rest,
      model: createOpenAI7({ baseURL: `${url}/v1`, apiKey }).chat(model),
    }),
  ),
  driver("ai 6, compatible", "openai-chat", ({ url, apiKey, ...rest }) =>
    aiSdkSummarizer({
      ...rest,
      model: createOpenAICompatible({ name: "local", baseURL: `${url}/v1`, apiKey })(model),
    }),
  ),
  driver("ai 7, compatible", "openai-chat", ({ url, apiKey, ...rest }) =>
    aiSdkSummarizer({
      ...rest,
      model: createCompatible7({ name: "local", baseURL: `${url}/v1`, apiKey })(model),
    }),
  ),
];
