import type { DialectIssue } from "../../src/dialects/index.ts";

/** Why a request is not answered; each protocol words it in its own envelope. */
export interface Refusal {
  readonly status: number;
  /** The provider's error type, e.g. `invalid_request_error`. */
  readonly type: string;
  readonly message: string;
  /** OpenAI: the parameter that is wrong. */
  readonly param?: string;
  /** OpenAI: e.g. `context_length_exceeded`. */
  readonly code?: string;
  /** Anthropic: typed details beside the message. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** Legal, but for something that this server does not have. */
  readonly unsupported?: boolean;
  /** The request is too large, and otherwise legal. */
  readonly overflow?: boolean;
  /** OpenAI Responses tells some errors of a streamed request in the stream, after a 200. */
  readonly inStream?: boolean;
  readonly retryAfter?: number;
}

/** What a 400 says of one broken rule. */
export interface Problem {
  readonly message: string;
  readonly param?: string;
  readonly code?: string;
  readonly status?: number;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly unsupported?: boolean;
}

/** Rules are generators, most general rule first; real servers tell the first broken rule only. */
export type Problems = Generator<Problem, void, undefined>;

/** The first broken rule as a refusal; `undefined` if there is none. */
export function firstRefusal(problems: Problems): Refusal | undefined {
  const { value } = problems.next();
  if (value === undefined) return undefined;
  return { type: "invalid_request_error", ...value, status: value.status ?? 400 };
}

/** What our own dialect says of the conversation; it knows pairs, roles and shapes. */
export function* issueProblems(issues: readonly DialectIssue[]): Problems {
  for (const { rule, message } of issues) yield { message: `${message} (${rule})` };
}

const OPENAI_TOOL_NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/** OpenAI's rule for the name of a tool. */
export function* nameProblems(name: unknown, param: string): Problems {
  if (typeof name === "string" && OPENAI_TOOL_NAME.test(name)) return;
  const pattern = OPENAI_TOOL_NAME.source;
  yield {
    message: `Invalid '${param}': string does not match pattern '${pattern}'.`,
    param,
    code: "invalid_value",
  };
}
