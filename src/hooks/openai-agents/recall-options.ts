import type { RecallTool, RecallTools } from "../../archive/recall-tools.ts";

/** What the SDK's `tool()` takes. */
export interface RecallToolOptions {
  readonly name: string;
  readonly description: string;
  readonly parameters: {
    type: "object";
    properties: Record<string, { [keyword: string]: unknown }>;
    required: string[];
    additionalProperties: false;
  };
  readonly strict: true;
  /** The answer for the model. Never rejects. */
  readonly execute: (input: unknown) => Promise<string>;
}

/** One of the tools of `recallTools` in that form; it checks its input itself. */
export function recallOptions([name, entry]: readonly [
  string,
  RecallTools[keyof RecallTools],
]): RecallToolOptions {
  const tool = entry as RecallTool<unknown>;
  const { properties, required } = tool.inputSchema;
  return {
    name,
    description: tool.description,
    parameters: {
      type: "object",
      properties: { ...properties },
      required: [...required],
      additionalProperties: false,
    },
    strict: true,
    execute: (input) => tool.execute(input),
  };
}
