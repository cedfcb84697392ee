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
