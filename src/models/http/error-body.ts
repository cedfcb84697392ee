import { isWireObject } from "../../dialects/wire.ts";

/** What a provider says of an error. */
export interface ProviderError {
  /** Its name for the kind, e.g. `rate_limit_error`. */
  readonly type?: string;
  readonly message: string;
}

/**
 * The error in a parsed body, as Anthropic, OpenAI, Google, Ollama, FastAPI and most gateways send
 * it; `undefined` when there is none.
 */
export function providerError(body: unknown): ProviderError | undefined {
  const value: unknown = Array.isArray(body) ? body[0] : body;
  if (!isWireObject(value)) return undefined;
  const { error } = value;
  if (typeof error === "string" && error !== "") return { message: error };
  if (isWireObject(error)) {
    const type = [error["type"], error["code"], error["status"]].find(isText);
    const message = [error["message"], error["detail"]].find(isText) ?? "no message";
    return { message, ...(type !== undefined && { type }) };
  }
  return undefined;
}

/** The words of an error answer, whatever it holds. */
export function errorWords(text: string): string {
  const body = parsed(text);
  const { type, message } = providerError(body) ?? {};
  if (message !== undefined) return type === undefined ? message : `${type}: ${message}`;
  if (isWireObject(body)) {
    const words = [body["message"], body["detail"], body["title"]].find(isText);
    if (words !== undefined) return words;
  }
  // A page for people says nothing in its first lines.
  return /^\s*</.test(text) ? "" : text;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
