import type { Protocol } from "./protocol.ts";

/** What Chat Completions and Responses have in common when something is wrong. */
export const openaiErrors: Pick<
  Protocol,
  "idHeader" | "authenticate" | "fault" | "tooLarge" | "goneLink" | "badJson" | "errorBody"
> = {
  idHeader: "x-request-id",
  authenticate(headers, key) {
    const given = /^Bearer (.+)$/.exec(headers.authorization ?? "")?.[1];
    if (given === undefined) {
      return {
        status: 401,
        type: "invalid_request_error",
        message:
          "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY).",
      };
    }
    if (key === undefined || given === key) return undefined;
    return {
      status: 401,
      type: "invalid_request_error",
      message: "Incorrect API key provided.",
      code: "invalid_api_key",
    };
  },
  fault: (kind) => FAULTS[kind],
  tooLarge: () => ({
    status: 413,
    type: "invalid_request_error",
    message: "Request body too large.",
    overflow: true,
  }),
  goneLink: (link) => ({
    status: 400,
    type: "invalid_request_error",
    message: `Error while downloading ${link}.`,
    code: "invalid_image_url",
  }),
  badJson: () => ({
    status: 400,
    type: "invalid_request_error",
    message:
      "We could not parse the JSON body of your request. The OpenAI API expects a JSON payload, but what was sent was not valid JSON.",
  }),
  errorBody: ({ type, message, param, code, details }) => ({
    error: { message, type, param: param ?? null, code: code ?? null, ...details },
  }),
};

const FAULTS = {
  "rate-limit": {
    status: 429,
    type: "tokens",
    message:
      "Rate limit reached on tokens per min (TPM): Limit 30000, Used 29000, Requested 4000. Please try again in 1s.",
    code: "rate_limit_exceeded",
  },
  "server-error": {
    status: 500,
    type: "server_error",
    message: "The server had an error while processing your request. Sorry about that!",
  },
  overloaded: {
    status: 503,
    type: "server_error",
    message: "The engine is currently overloaded, please try again later.",
  },
} as const;
