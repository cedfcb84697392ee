import { describe, expect, it } from "vitest";
import { recogniseOverflow, unreachableMedia } from "../../../src/core/overflow/index.ts";

const LINK = "https://files.example.com/a.png?sig=1";

/** The shapes that SDKs and servers give; the texts are the servers' own. */
const UNREACHABLE: readonly (readonly [server: string, error: unknown])[] = [
  [
    "OpenAI Chat, as a body",
    {
      status: 400,
      body: {
        error: {
          message: `Error while downloading ${LINK}.`,
          type: "invalid_request_error",
          param: null,
          code: "invalid_image_url",
        },
      },
    },
  ],
  [
    "OpenAI, as an SDK error",
    Object.assign(new Error(`400 Timeout while downloading ${LINK}.`), { status: 400 }),
  ],
  [
    "OpenAI Responses, in the stream",
    { type: "response.failed", response: { error: { code: "failed_to_download_image" } } },
  ],
  [
    "Anthropic",
    {
      status: 400,
      error: {
        type: "error",
        error: {
          type: "invalid_request_error",
          message: "Unable to download the file. Please verify the URL and try again.",
        },
      },
    },
  ],
  [
    "Google",
    {
      error: {
        code: 400,
        message: "Cannot fetch content from the provided URL.",
        status: "INVALID_ARGUMENT",
      },
    },
  ],
  ["Azure", new Error("The provided image url is not accessible.")],
  [
    "DashScope",
    new Error("<400> InternalError.Algo.InvalidParameter: Failed to download multimodal content"),
  ],
  ["a gateway", new Error("Failed to download image due to an invalid URL.")],
  [
    "AI SDK, whose status is that of the file's server",
    Object.assign(new Error(`Failed to download ${LINK}: 503 Service Unavailable`), {
      name: "AI_DownloadError",
      statusCode: 503,
      url: LINK,
    }),
  ],
];

/** Errors that speak of images, files or loading, and are none of these. */
const OTHERS: readonly unknown[] = [
  new Error("fetch failed"),
  new Error("Failed to fetch"),
  new Error("Connection error."),
  Object.assign(new Error("429 Unable to fetch image: rate limit"), { status: 429 }),
  Object.assign(new Error("Unable to load the file index"), { status: 503 }),
  { error: { message: "Could not process image" } },
  { error: { message: "image exceeds 5 MB maximum" } },
  { error: { message: "messages.3: image does not match the media type image/png" } },
  new Error("prompt is too long: 22886 tokens > 20000 maximum"),
  undefined,
];

describe("a link that a provider could not load", () => {
  it.each(UNREACHABLE)("is seen in what %s says", (_, error) => {
    expect(unreachableMedia(error)).toBeTypeOf("string");
    expect(recogniseOverflow(error)).toBeUndefined();
  });

  it.each(OTHERS.map((error) => [error]))("is not seen in %s", (error) => {
    expect(unreachableMedia(error)).toBeUndefined();
  });
});
