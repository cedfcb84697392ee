import { isWireObject, type WireObject } from "../wire-value.ts";
import type { ModelVersion } from "./model.ts";

/**
 * The agent's tools as the model's interface takes them: a list of such tools as it is, or an
 * SDK's set of tools whose schemas are known as JSON. `undefined` for anything else.
 */
export async function modelTools(
  tools: unknown,
  version: ModelVersion,
): Promise<readonly WireObject[] | undefined> {
  if (tools === undefined || tools === null) return [];
  if (Array.isArray(tools)) {
    const known = tools.filter((tool: unknown) => isWireObject(tool) && isModelTool(tool));
    return known.length === tools.length ? (known as WireObject[]) : undefined;
  }
  if (!isWireObject(tools)) return undefined;
  const made = await Promise.all(
    Object.entries(tools).map(([name, tool]) => modelTool(name, tool, version)),
  );
  const known = made.filter((tool) => tool !== undefined);
  return known.length === made.length ? known : undefined;
}

function isModelTool(tool: WireObject): boolean {
  const { type, name, inputSchema, id } = tool;
  if (typeof name !== "string") return false;
  return type === "function" ? isWireObject(inputSchema) : typeof id === "string";
}

async function modelTool(
  name: string,
  tool: unknown,
  version: ModelVersion,
): Promise<WireObject | undefined> {
  if (!isWireObject(tool)) return undefined;
  const { type, id, args, description, inputExamples, strict, providerOptions } = tool;
  if (type === "provider" || type === "provider-defined") {
    return { type: version === "v2" ? "provider-defined" : "provider", name, id, args };
  }
  const inputSchema = await jsonSchema(tool["inputSchema"]);
  if (inputSchema === undefined || typeof description === "function") return undefined;
  return {
    type: "function",
    name,
    inputSchema,
    ...(description !== undefined && { description }),
    ...(inputExamples !== undefined && { inputExamples }),
    ...(providerOptions !== undefined && { providerOptions }),
    ...(strict !== undefined && { strict }),
  };
}

/** Schemas of the SDK hold theirs, or make it when asked; those of libraries do not. */
async function jsonSchema(schema: unknown): Promise<WireObject | undefined> {
  const made: unknown = typeof schema === "function" ? (schema as () => unknown)() : schema;
  const json: unknown = isWireObject(made) ? await made["jsonSchema"] : undefined;
  return isWireObject(json) ? json : undefined;
}
