/** What came back from a request that no SDK made. */
export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed JSON, or the text. */
  readonly body: unknown;
  /** The message of the error, wherever the protocol puts it. */
  readonly message: string;
}

const PATHS = {
  anthropic: "/v1/messages",
  "openai-chat": "/v1/chat/completions",
  "openai-responses": "/v1/responses",
} as const;

/** Sends a body as it is, so that a test can send what an SDK would not. */
export async function post(
  url: string,
  protocol: keyof typeof PATHS,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Answered> {
  const response = await fetch(url + PATHS[protocol], {
    method: "POST",
    headers: {
      "content-type": "application/json",
      authorization: "Bearer key",
      "anthropic-version": "2023-06-01",
      ...headers,
    },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.includes("json") === true;
  const parsed: unknown = isJson ? JSON.parse(text) : text;
  const error = (parsed as { readonly error?: { readonly message?: string } }).error;
  return {
    status: response.status,
    headers: response.headers,
    body: parsed,
    message: error?.message ?? "",
  };
}
