import type { LanguageModel } from "ai";

/** A language model of the AI SDK 6, as an object. */
export type Model = Extract<LanguageModel, { readonly specificationVersion: "v3" }>;
export type ModelOptions = Parameters<Model["doGenerate"]>[0];
export type ModelAnswer = Awaited<ReturnType<Model["doGenerate"]>>;
export type PromptMessage = ModelOptions["prompt"][number];
/** A part of a message that has parts; a system message has none. */
export type PromptPart = Exclude<PromptMessage["content"], string>[number];
