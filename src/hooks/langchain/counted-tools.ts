import { isWireObject, type WireObject } from "../../dialects/wire.ts";
import { schemaJson } from "../schema-json.ts";

/** What the model will see of a list of tools, for counting; the same list is looked at once. */
export function createToolCounter(): (
  tools: readonly unknown[] | undefined,
) => readonly WireObject[] {
  let last: readonly unknown[] | undefined;
  let counted: readonly WireObject[] = [];
  return (tools = []) => {
    if (tools !== last) counted = tools.map(countedTool);
    last = tools;
    return counted;
  };
}

function countedTool(tool: unknown): WireObject {
  if (!isWireObject(tool)) return {};
  const { name, description } = tool;
  // A tool of the provider is sent as it is.
  if (tool["invoke"] === undefined) return tool;
  return { name, description, schema: schemaJson(tool["schema"]) };
}
