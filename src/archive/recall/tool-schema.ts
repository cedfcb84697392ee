/**
 * The JSON Schema of an object, which is a Standard Schema as well (standardschema.dev): libraries
 * that know it, the AI SDK among them, take it as it is; in JSON it is the JSON Schema alone.
 *
 * It keeps the rules of every provider's strict mode: all properties are required, there are no
 * others, and none has a limit (`maxItems`). None may be null either, because Gemini takes one type only: what an
 * optional property is when it is not needed stands in its description. `validate` asks for less: an
 * optional property may be left out, or null.
 */
export interface ObjectSchema<Input> {
  readonly type: "object";
  readonly properties: Readonly<Record<string, PropertySchema>>;
  readonly required: readonly string[];
  readonly additionalProperties: false;
  readonly "~standard": StandardProps<Input>;
}

/** The JSON Schema of one property. */
export interface PropertySchema {
  readonly type: "string" | "integer" | "boolean" | "array";
  readonly description: string;
  readonly [keyword: string]: unknown;
}

interface StandardProps<Input> {
  readonly version: 1;
  readonly vendor: "longhaul";
  readonly types?: { readonly input: Input; readonly output: Input } | undefined;
  validate(value: unknown): Validated<Input>;
  readonly jsonSchema: {
    input(options: { readonly target: string }): Record<string, unknown>;
    output(options: { readonly target: string }): Record<string, unknown>;
  };
}

type Validated<Input> =
  | { readonly value: Input; readonly issues?: undefined }
  | { readonly issues: readonly { readonly message: string }[] };

/** A schema of an object with these properties; without the `needed` ones an input is wrong. */
export function objectSchema<Input>(
  properties: ObjectSchema<Input>["properties"],
  needed: readonly string[],
): ObjectSchema<Input> {
  const required: readonly string[] = Object.keys(properties);
  const plain = { type: "object", properties, required, additionalProperties: false } as const;
  const asJson = (): Record<string, unknown> => ({ ...plain });
  const standard: StandardProps<Input> = {
    version: 1,
    vendor: "longhaul",
    validate: (value) => {
      const message = problemOf(value, properties, needed);
      return message === undefined ? { value: value as Input } : { issues: [{ message }] };
    },
    jsonSchema: { input: asJson, output: asJson },
  };
  return Object.defineProperty({ ...plain }, "~standard", {
    value: standard,
    enumerable: false,
  }) as ObjectSchema<Input>;
}

/** What is wrong with an input; what its values mean is checked by whoever uses them. */
function problemOf(
  value: unknown,
  properties: Readonly<Record<string, PropertySchema>>,
  needed: readonly string[],
): string | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return "The input must be an object.";
  }
  const missing = needed.find((name) => (value as Record<string, unknown>)[name] == null);
  if (missing !== undefined) return `The input needs ${missing}.`;
  for (const [name, each] of Object.entries(value)) {
    const type = properties[name]?.type;
    if (type === undefined) return `The input has no property ${name}.`;
    if (each != null && typeName(each) !== type) return `${name} must be of type ${type}.`;
  }
  return undefined;
}

function typeName(value: unknown): string {
  if (Array.isArray(value)) return "array";
  return Number.isSafeInteger(value) ? "integer" : typeof value;
}
