import type { ProtectedTools } from "../core/prune/index.ts";
import { DEFAULT_PROTECTED_TOOLS, isProtectedBy } from "../core/prune/index.ts";
import type { TemplateOverride } from "../core/summary/index.ts";
import type { ToolKinds } from "../core/calls/index.ts";
import type { ToolLimitOverrides } from "../core/truncate/index.ts";
import type { SummarizeFunction, Summarizer } from "../models/summarizer.ts";
import type { AnyContextEvent } from "./events.ts";
import type { ContextOptions } from "./options.ts";

/** A bundle of settings and a listener that somebody else maintains. */
export interface ContextPlugin {
  /** For error messages. */
  readonly name: string;
  /** Stands above the default template and below the conversation's. */
  readonly compactionTemplate?: TemplateOverride;
  /** Protected beside those of the context and of other plugins. */
  readonly protectedTools?: ProtectedTools;
  /** The context's own entries win. */
  readonly toolKinds?: ToolKinds;
  /** The context's own entries win. */
  readonly toolLimits?: ToolLimitOverrides;
  /** Used where the context has none; the first plugin that brings one wins. */
  readonly summarizer?: Summarizer | SummarizeFunction;
  /** Gets every event of the context. What it throws is ignored. */
  readonly onEvent?: (event: AnyContextEvent) => void;
}

/** The options of a context with what its plugins bring; the context's own settings win. */
export function withPlugins(options: ContextOptions): ContextOptions {
  const { plugins = [] } = options;
  if (plugins.length === 0) {
    const { protectedTools } = options;
    return protectedTools === undefined
      ? options
      : { ...options, protectedTools: isProtectedBy(protectedTools) };
  }
  const summarizer =
    options.summarizer ?? plugins.find((plugin) => plugin.summarizer !== undefined)?.summarizer;
  return {
    ...options,
    toolKinds: Object.assign({}, ...plugins.map((plugin) => plugin.toolKinds), options.toolKinds),
    toolLimits: Object.assign(
      {},
      ...plugins.map((plugin) => plugin.toolLimits),
      options.toolLimits,
    ),
    protectedTools: protectedByAny([
      options.protectedTools ?? DEFAULT_PROTECTED_TOOLS,
      ...plugins.flatMap(({ protectedTools }) =>
        protectedTools === undefined ? [] : [protectedTools],
      ),
    ]),
    ...(summarizer !== undefined && { summarizer }),
  };
}

function protectedByAny(sets: readonly ProtectedTools[]): ProtectedTools {
  const tests = sets.map(isProtectedBy);
  return (toolName, call) => tests.some((isProtected) => isProtected(toolName, call));
}
