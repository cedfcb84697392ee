import type { Archive } from "../archive/archive.ts";
import { imagesOf, type RecallTool, recallTools } from "../archive/recall-tools.ts";
import type { RecalledImage } from "../archive/recalled-media.ts";
import { fieldsOf } from "../core/text/json.ts";
import { isWireObject, type WireObject } from "../dialects/wire.ts";

/** A tool of `recallTools`, to be put into the form of an SDK; it checks its input itself. */
interface RecallForm {
  readonly name: string;
  readonly description: string;
  /** JSON Schema. */
  readonly schema: {
    type: "object";
    properties: Record<string, { [keyword: string]: unknown }>;
    required: string[];
    additionalProperties: false;
  };
  /** The answer for the model. Never rejects. */
  readonly execute: (input: unknown) => Promise<string>;
  /** The same for an SDK whose tools may answer with images, too. */
  readonly recall: (input: unknown) => Promise<Recall>;
}

/** A recalled text, and the images that it tells of. */
export interface Recall {
  readonly text: string;
  readonly images: readonly RecalledImage[];
}

/** A list that may be changed: SDKs take no others. */
export type Mutable<List> = { -readonly [At in keyof List]: List[At] };

/** A list of tools in which some are others. */
export function mapTools<Tools extends readonly object[]>(
  tools: Tools,
  change: (tool: object) => object,
): Mutable<Tools> {
  return tools.map(change) as unknown as Mutable<Tools>;
}

export function recallForms(archive: Archive): RecallForm[] {
  return Object.entries(recallTools(archive)).map(([name, entry]): RecallForm => {
    const tool = entry as RecallTool<unknown>;
    const { properties, required } = tool.inputSchema;
    const fields = { properties: { ...properties }, required: [...required] };
    const schema = { type: "object", ...fields, additionalProperties: false } as const;
    const execute = (input: unknown): Promise<string> => tool.execute(input);
    const recall = async (input: unknown): Promise<Recall> => ({
      text: await execute(input),
      images: name === "recall" ? await imagesOf(archive, input) : [],
    });
    return { name, description: tool.description, schema, execute, recall };
  });
}

/**
 * JSON Schema as it is, an SDK's wrapper of it, or a schema that can say it; `undefined` for
 * others.
 */
export function schemaJson(schema: unknown): unknown {
  try {
    const made: unknown = typeof schema === "function" ? (schema as () => unknown)() : schema;
    if (!isWireObject(made)) return undefined;
    if (isWireObject(made["jsonSchema"])) return made["jsonSchema"];
    return standardJson(made) ?? (typeof made["type"] === "string" ? made : undefined);
  } catch {
    return undefined;
  }
}

/** Standard JSON Schema (standardschema.dev), which zod and others speak. */
function standardJson(schema: WireObject): unknown {
  const { input } = fieldsOf(fieldsOf(schema["~standard"])["jsonSchema"]);
  if (typeof input !== "function") return undefined;
  return (input as (options: WireObject) => unknown)({ target: "draft-07" });
}

/** Its own methods still work on the object itself, whose private fields exist only there. */
export function withMethods<Target extends object>(target: Target, methods: object): Target {
  // A frozen object could not stand behind a proxy that gives other values.
  const shell = Object.create(Object.getPrototypeOf(target) as object | null) as Target;
  return new Proxy(shell, {
    get(_, name) {
      if (Object.hasOwn(methods, name)) return Reflect.get(methods, name) as unknown;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
    set: (_, name, value) => Reflect.set(target, name, value, target),
    has: (_, name) => Object.hasOwn(methods, name) || Reflect.has(target, name),
  });
}
