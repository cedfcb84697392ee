import * as ai6 from "ai";
import * as ai7 from "ai7";
import type { AiSdkContext } from "../../../src/hooks/ai-sdk/index.ts";

/** What a model answers to one call. */
export interface FakeAnswer {
  readonly text?: string;
  /** Tools to call, with what. */
  readonly calls?: readonly { readonly name: string; readonly input: unknown }[];
  readonly error?: unknown;
  /** Nothing is said, because there is no room. */
  readonly isCutOff?: boolean;
}

export interface FakeCall {
  readonly prompt: readonly { readonly role: string; readonly content: unknown }[];
  readonly tools?: readonly { readonly name: string }[];
  readonly providerOptions?: unknown;
}

export interface FakeModelOptions {
  readonly answer: (call: FakeCall, index: number) => FakeAnswer;
  /** Longer prompts are refused as Anthropic does, in tokens of four characters. @default none */
  readonly limit?: number;
  /** Whether a stream begins before the refusal. */
  readonly refusesInStream?: boolean;
  /** Whether it answers nothing instead of refusing. */
  readonly isSilent?: boolean;
  readonly version: 6 | 7;
  /** Content that stands before every answer, with `{n}` in its ids for the number of the call. */
  readonly also?: readonly object[];
}

/** A language model for the SDK of one version, and every call that it got. */
export interface FakeModel {
  readonly model: never;
  readonly calls: FakeCall[];
  /** How many calls were refused as too long. */
  readonly refused: () => number;
}

export function fakeModel({
  answer,
  limit,
  refusesInStream,
  isSilent,
  version,
  also = [],
}: FakeModelOptions): FakeModel {
  const calls: FakeCall[] = [];
  let refused = 0;
  const answerTo = (call: FakeCall): FakeAnswer => {
    calls.push(call);
    const tokens = tokensOf(call);
    if (limit === undefined || tokens <= limit) return answer(call, calls.length - 1);
    refused += 1;
    if (isSilent === true) return { isCutOff: true };
    return { error: tooLong(tokens, limit) };
  };
  const usageOf = (call: FakeCall, { isCutOff = false }: FakeAnswer) => ({
    inputTokens: { total: tokensOf(call), noCache: tokensOf(call), cacheRead: 0, cacheWrite: 0 },
    outputTokens: isCutOff
      ? { total: 0, text: 0, reasoning: 0 }
      : { total: 10, text: 10, reasoning: 0 },
  });
  const model = {
    specificationVersion: version === 6 ? "v3" : "v4",
    provider: "fake",
    modelId: "fake-1",
    supportedUrls: {},
    async doGenerate(call: FakeCall) {
      const answered = answerTo(call);
      if (answered.error !== undefined) throw answered.error;
      const usage = usageOf(call, answered);
      return {
        content: [...also, ...contentOf(answered, calls.length)],
        ...finish(answered),
        usage,
        warnings: [],
      };
    },
    async doStream(call: FakeCall) {
      const answered = answerTo(call);
      if (answered.error !== undefined && refusesInStream !== true) throw answered.error;
      const parts = streamOf(answered, calls.length);
      const end = { type: "finish", ...finish(answered), usage: usageOf(call, answered) };
      return { stream: ReadableStream.from([...parts, end]) };
    },
  };
  return { model: model as never, calls, refused: () => refused };
}

export function tokensOf({ prompt }: FakeCall): number {
  return Math.ceil(JSON.stringify(prompt).length / 4);
}

function tooLong(tokens: number, limit: number): Error {
  return new ai6.APICallError({
    message: `prompt is too long: ${tokens} tokens > ${limit} maximum`,
    url: "http://localhost",
    requestBodyValues: {},
    statusCode: 400,
    isRetryable: false,
  });
}

function finish({ calls = [], error, isCutOff }: FakeAnswer) {
  if (isCutOff === true) return { finishReason: { unified: "length", raw: "length" } };
  const unified = error === undefined ? (calls.length > 0 ? "tool-calls" : "stop") : "error";
  return { finishReason: { unified, raw: unified } };
}

function contentOf({ text = "", calls = [] }: FakeAnswer, index: number): object[] {
  const made = calls.map(({ name, input }, at) => ({
    type: "tool-call",
    toolCallId: `call_${index}_${at}`,
    toolName: name,
    input: JSON.stringify(input),
  }));
  return [...(text === "" ? [] : [{ type: "text", text }]), ...made];
}

function streamOf(answer: FakeAnswer, index: number): object[] {
  const start = { type: "stream-start", warnings: [] };
  const metadata = { type: "response-metadata", id: `r${index}`, modelId: "fake-1" };
  if (answer.error !== undefined) return [start, metadata, { type: "error", error: answer.error }];
  const { text = "" } = answer;
  const spoken =
    text === ""
      ? []
      : [
          { type: "text-start", id: "t" },
          { type: "text-delta", id: "t", delta: text },
          { type: "text-end", id: "t" },
        ];
  const calls = contentOf({ ...answer, text: "" }, index);
  return [start, metadata, ...spoken, ...calls];
}

/** How an agent is run: over which version and hooks. */
export interface AgentRun {
  readonly version: 6 | 7;
  readonly stream: boolean;
  readonly context: AiSdkContext;
  readonly model: never;
  /** What the tool `look` returns. */
  readonly output: (n: number) => string;
  readonly prompt: string;
  readonly hooks?: "both" | "middleware" | "prepareStep";
  readonly providerOptions?: Record<string, Record<string, never>>;
}

/** Runs an agent with the tool `look` to its end. */
export async function runAgent(run: AgentRun): Promise<string> {
  const { version, stream, context, hooks = "both" } = run;
  let looks = 0;
  const execute = async (): Promise<string> => run.output(looks++);
  const inputSchema = { type: "object", properties: { at: { type: "integer" } } } as const;
  const common = {
    maxRetries: 0,
    prompt: run.prompt,
    ...(hooks !== "middleware" && { prepareStep: context.prepareStep }),
    ...(run.providerOptions && { providerOptions: run.providerOptions }),
    onError: () => undefined,
  };
  if (version === 6) {
    const tools = context.tools({
      look: ai6.tool({ inputSchema: ai6.jsonSchema(inputSchema), execute }),
    });
    const { model } = run;
    const settings = {
      ...common,
      model:
        hooks === "prepareStep"
          ? model
          : ai6.wrapLanguageModel({ model, middleware: context.middleware }),
      tools,
      stopWhen: ai6.stepCountIs(500),
    };
    return stream
      ? (await read(ai6.streamText(settings))).text
      : (await ai6.generateText(settings)).text;
  }
  const tools = context.tools({
    look: ai7.tool({ inputSchema: ai7.jsonSchema(inputSchema), execute }),
  });
  const { model } = run;
  const settings = {
    ...common,
    model:
      hooks === "prepareStep"
        ? model
        : ai7.wrapLanguageModel({ model, middleware: context.middleware }),
    tools,
    stopWhen: ai7.isStepCount(500),
  };
  return stream
    ? (await read(ai7.streamText(settings))).text
    : (await ai7.generateText(settings)).text;
}

/** Reads a stream to its end; what went wrong in it is thrown. */
async function read<Result extends { fullStream: AsyncIterable<unknown> }>(result: Result) {
  for await (const part of result.fullStream) {
    const { type, error } = part as { readonly type: string; readonly error?: unknown };
    if (type === "error") throw error;
  }
  return result;
}
