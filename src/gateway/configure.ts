import { ContextError } from "../core/error.ts";
import { unknownOption } from "../core/options.ts";
import { isRecord } from "../core/text/json.ts";
import type { GatewayLimits, GatewayOptions } from "./options.ts";

type Kind = "text" | "yes or no" | "whole number" | "object";

/** Settings of a gateway in a file: all but its token, which is no setting. */
const OPTIONS: Readonly<Record<string, Kind>> = {
  host: "text",
  port: "whole number",
  anthropic: "text",
  openai: "text",
  window: "whole number",
  archive: "text",
  recall: "text",
  compaction: "text",
  epochs: "text",
  audit: "yes or no",
  limits: "object",
};

const LIMITS: Readonly<Record<keyof GatewayLimits, Kind>> = {
  maxBodyBytes: "whole number",
  maxHeaderBytes: "whole number",
  maxStreams: "whole number",
  idleMs: "whole number",
  keepAliveMs: "whole number",
  graceMs: "whole number",
};

/** The options in a file; throws `invalid-options` for names and values that make no sense. */
export function gatewayOptionsIn(value: unknown = {}): GatewayOptions {
  checkKind("gateway", "object", value);
  const { limits = {}, ...options } = checkNames(value, OPTIONS, "gateway");
  return { ...options, limits: checkNames(limits, LIMITS, "gateway.limits") };
}

function checkNames(
  value: unknown,
  kinds: Readonly<Record<string, Kind>>,
  place: string,
): Readonly<Record<string, unknown>> {
  const fields = value as Readonly<Record<string, unknown>>;
  for (const [name, given] of Object.entries(fields)) {
    const kind = kinds[name];
    if (kind === undefined) throw unknownOption(name, Object.keys(kinds));
    checkKind(`${place}.${name}`, kind, given);
  }
  return fields;
}

function checkKind(name: string, kind: Kind, value: unknown): void {
  const is: Readonly<Record<Kind, boolean>> = {
    text: typeof value === "string",
    "yes or no": typeof value === "boolean",
    "whole number": Number.isSafeInteger(value) && Number(value) >= 0,
    object: isRecord(value) && !Array.isArray(value),
  };
  if (is[kind]) return;
  const wanted = kind === "yes or no" ? "true or false" : kind === "text" ? "a text" : `a ${kind}`;
  throw new ContextError(
    "invalid-options",
    `The setting ${name} is ${JSON.stringify(value)}; give ${wanted.replace("a object", "an object")}.`,
    { details: { option: name, value } },
  );
}
