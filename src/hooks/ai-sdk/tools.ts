import type { Context } from "../../context/index.ts";
import { isWireObject, type WireObject } from "../../dialects/wire.ts";
import { schemaJson } from "../tools.ts";
import { wrapTool } from "../../tools/wrap-tool.ts";
import type { TruncationOptions } from "../../tools/index.ts";

/** A set of tools of the SDK whose outputs are truncated on arrival, wherever they arrive from. */
export function truncatingTools<Tools extends object>(
  tools: Tools,
  { truncation }: Pick<Context, "truncation">,
): Tools {
  const entries = Object.entries(tools).map(([toolName, tool]: [string, unknown]) => {
    const own = convertible(tool);
    if (typeof own !== "object" || own === null) return [toolName, own];
    // A value that is converted for the model is converted again and again.
    const options = "toModelOutput" in own ? toldOnce(truncation) : truncation;
    return [toolName, wrapTool(own, { ...options, toolName })];
  });
  return Object.fromEntries(entries) as Tools;
}

/**
 * A tool that runs elsewhere, e.g. in the browser, has no `execute` to wrap: its outputs come with
 * the messages of the user interface, and become the model's by `toModelOutput`.
 */
function convertible(tool: unknown): unknown {
  if (!isWireObject(tool)) return tool;
  const { type, execute, toModelOutput: own } = tool;
  if (execute !== undefined || own !== undefined || String(type).startsWith("provider"))
    return tool;
  return { ...tool, toModelOutput };
}

/** The SDK's own form of an output, for tools that give none. */
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

/**
 * The part of a set of tools that the model will see, as far as it is known before the SDK makes a request
 * of it: names, descriptions, and the schemas that say what they are in JSON. For counting.
 */
export function countedTools(tools: object): readonly WireObject[] {
  return Object.entries(tools).map(([name, tool]: [string, unknown]) => {
    if (!isWireObject(tool)) return { name };
    const { type, id, args, description } = tool;
    if (typeof id === "string") return { type, name, id, args };
    return {
      name,
      description: typeof description === "string" ? description : undefined,
      inputSchema: schemaJson(tool["inputSchema"]),
    };
  });
}
