import { isWireObject, type WireObject } from "../dialects/wire.ts";

/**
 * A schema in JSON, for counting: JSON Schema as it is, an SDK's wrapper of it, a schema of a library
 * that can say it. `undefined` where it cannot be said; libraries fail there.
 */
export function schemaJson(schema: unknown): unknown {
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
