import { isWireObject, type WireObject } from "../../dialects/wire-value.ts";

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
      inputSchema: jsonOf(tool["inputSchema"]),
    };
  });
}

/** Libraries for schemas fail where a schema cannot be said in JSON. */
function jsonOf(schema: unknown): unknown {
  try {
    const made: unknown = typeof schema === "function" ? (schema as () => unknown)() : schema;
    if (!isWireObject(made)) return undefined;
    if (isWireObject(made["jsonSchema"])) return made["jsonSchema"];
    return typeof made["type"] === "string" ? (standardJson(made) ?? made) : standardJson(made);
  } catch {
    return undefined;
  }
}

/** Standard JSON Schema (standardschema.dev), which zod and others speak. */
function standardJson(schema: WireObject): unknown {
  const standard = schema["~standard"];
  const json = isWireObject(standard) ? standard["jsonSchema"] : undefined;
  const input = isWireObject(json) ? json["input"] : undefined;
  if (typeof input !== "function") return undefined;
  return (input as (options: WireObject) => unknown)({ target: "draft-07" });
}
