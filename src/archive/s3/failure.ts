import { ContextError } from "../../core/error.ts";
import { errorCode } from "../archive-error.ts";

/** The AWS client's words for an error: its name, and the status of the answer. */
function told(error: unknown): { readonly name: string; readonly status: number } {
  const { name, $metadata, code } = error as {
    readonly name?: string;
    readonly code?: string;
    readonly $metadata?: { readonly httpStatusCode?: number };
  };
  const isSystem = code !== undefined && (name === undefined || name === "Error");
  return { name: (isSystem ? code : name) ?? "Error", status: $metadata?.httpStatusCode ?? 0 };
}

/** There is such an object already. */
export function isTaken(error: unknown): boolean {
  return told(error).status === 412;
}

/** Two writers met, and neither won. */
export function isConflict(error: unknown): boolean {
  return told(error).name === "ConditionalRequestConflict";
}

export function isGone(error: unknown): boolean {
  return ["NoSuchKey", "NotFound", "InvalidRange"].includes(told(error).name);
}

const LOSS = /^(?:ECONN|EPIPE|ETIMEDOUT|EAI_AGAIN|ENOTFOUND|TimeoutError|AbortError|aborted)/;

/** The connection was lost, or the server could not answer just now. */
export function isLoss(error: unknown): boolean {
  const { name, status } = told(error);
  return LOSS.test(name) || LOSS.test(errorCode(error) ?? "") || status === 500 || status > 501;
}

const ADVICE: readonly (readonly [name: RegExp, advice: string])[] = [
  [/^NoSuchBucket$/, "There is no such bucket: create it, or check its name and the endpoint."],
  [
    /^Credentials/,
    "There are no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or whatever else the AWS client finds them in.",
  ],
  [
    /^(?:SignatureDoesNotMatch|InvalidAccessKeyId|ExpiredToken|InvalidToken)/,
    "The credentials were refused: check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.",
  ],
  [
    /^(?:AccessDenied|AllAccessDisabled|Forbidden|403)/,
    "Access was denied: the credentials need to list, read, write and delete objects of the bucket.",
  ],
  [/^RequestTimeTooSkewed/, "The clock of this machine is wrong by more than the server allows."],
  [
    /^(?:PermanentRedirect|AuthorizationHeaderMalformed|301)/,
    "The bucket is in another region: set AWS_REGION.",
  ],
  [/^(?:QuotaExceeded|InsufficientCapacity|XMinioStorageFull|507)/, "There is no room left."],
  [
    /^(?:NotImplemented|501)/,
    "It does not know what was asked, e.g. `If-None-Match`: use postgresArchive with it, in place of S3 alone, or another server.",
  ],
  [/^(?:SlowDown|503|500)/, "The server is overloaded or failing: try again later."],
  [LOSS, "It cannot be reached: check the endpoint, and that it answers."],
];

/** `archive-failed`, with what to do about it; of the credentials it says nothing. */
export function s3Failure(bucket: string, cause: unknown): ContextError {
  const { name, status } = told(cause);
  const isUnnamed = name === "Error" || name === "UnknownError" || name === "Unknown";
  const isWithoutRegion = /region is missing/i.test(String(cause));
  const code = isUnnamed && status > 0 ? String(status) : name;
  const advice = isWithoutRegion
    ? "It is not known in which region it is: set AWS_REGION."
    : (ADVICE.find(([names]) => names.test(code))?.[1] ??
      "See the cause for what the server reported.");
  return new ContextError(
    "archive-failed",
    `The archive could not use the bucket ${bucket} (${isWithoutRegion ? "no region" : code}). ${advice}`,
    { details: { bucket, code }, cause },
  );
}
