import type { Context } from "../../context/index.ts";
import { isWireObject, type WireObject } from "../../dialects/wire-value.ts";
import { type TruncationOptions, wrapTools } from "../../tools/index.ts";

/** A set of tools of the SDK whose outputs are truncated on arrival, wherever they arrive from. */
export function truncatingTools<Tools extends object>(
  tools: Tools,
  { truncation }: Pick<Context, "truncation">,
): Tools {
  const entries = Object.entries(tools).map(([name, tool]) => [name, convertible(tool)]);
  return wrapTools(Object.fromEntries(entries) as Tools, toldOnce(truncation));
}

/**
 * A tool that runs elsewhere, e.g. in the browser, has no `execute` to wrap: its outputs come with
 * the messages of the user interface, and become the model's by `toModelOutput`.
 */
function convertible(tool: unknown): unknown {
  if (!isWireObject(tool) || "execute" in tool || "toModelOutput" in tool) return tool;
  if (tool["type"] === "provider" || tool["type"] === "provider-defined") return tool;
  return { ...tool, toModelOutput };
}

/** What the SDK makes of an output where a tool does not say. */
function toModelOutput({ output }: { readonly output: unknown }): WireObject {
  return typeof output === "string"
    ? { type: "text", value: output }
    : { type: "json", value: output ?? null };
}

/** The SDK converts a whole history for every request; an output is news once. */
function toldOnce({ onTruncated, ...options }: TruncationOptions): TruncationOptions {
  const told = new Set<string>();
  return {
    ...options,
    onTruncated(event) {
      const handle = event.entry?.handle;
      if (handle !== undefined && told.has(handle)) return;
      if (handle !== undefined) told.add(handle);
      onTruncated?.(event);
    },
  };
}
