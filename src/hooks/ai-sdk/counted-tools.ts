import { isWireObject, type WireObject } from "../../dialects/wire.ts";
import { schemaJson } from "../schema-json.ts";

/**
 * What the model will see of a set of tools, as far as it is known before the SDK makes a request
 * of it: names, descriptions, and the schemas that say what they are in JSON. For counting.
 */
export function countedTools(tools: object): readonly WireObject[] {
  return Object.entries(tools).map(([name, tool]: [string, unknown]) => {
    if (!isWireObject(tool)) return { name };
    const { type, id, args, description } = tool;
    if (typeof id === "string") return { type, name, id, args };
    return {
      name,
      ...(typeof description === "string" && { description }),
      inputSchema: schemaJson(tool["inputSchema"]),
    };
  });
}
