import { type RecallTool, recallTools } from "../../archive/recall-tools.ts";
import type { Archive } from "../../archive/archive.ts";
import { memoryArchive } from "../../archive/memory.ts";
import { isWireObject } from "../../dialects/wire.ts";
import type { RunnableConfigLike, StateLike } from "./wire.ts";

/**
 * A tool as agents, `ToolNode` and `bindTools` take it: LangChain asks what a tool has, not which
 * class made it.
 */
export interface LangChainTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema. */
  readonly schema: { readonly type: "object"; readonly [field: string]: unknown };
  readonly returnDirect: false;
  readonly lc_namespace: string[];
  readonly lc_runnable: true;
  /** Takes a tool call, or its arguments. */
  invoke(input: unknown, config?: ToolConfigLike): Promise<string>;
  readonly [field: string]: unknown;
}

/** What a tool is told beside its input. */
export interface ToolConfigLike extends RunnableConfigLike {
  readonly state?: StateLike;
}

/** `recall` and `search_archive`, on the archive of the conversation that calls them. */
export function langchainRecallTools(
  archiveOf: (config: ToolConfigLike) => Archive,
): readonly LangChainTool[] {
  const described = recallTools(memoryArchive());
  return (["recall", "search_archive"] as const).map((name): LangChainTool => {
    const { description, inputSchema } = described[name];
    const { "~standard": _standard, ...schema } = inputSchema;
    return {
      name,
      description,
      schema,
      returnDirect: false,
      lc_namespace: ["longhaul", "tools"],
      lc_runnable: true,
      invoke(input, config = {}) {
        const args = isWireObject(input) && isWireObject(input["args"]) ? input["args"] : input;
        const tool = recallTools(archiveOf(config))[name] as RecallTool<unknown>;
        return tool.execute(args);
      },
    };
  });
}
