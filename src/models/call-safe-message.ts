/** The most characters of an error that a report shows. */
const LONGEST = 200;
/** Words of an error stand in the first part of a body … */
const LONGEST_BODY = 20_000;
/** … and what is searched for keys is more than what is shown, so that none is cut in two. */
const LOOK_UNITS = 2_000;
const REMOVED = "[removed]";

/** What keys look like, and where they stand. */
const SECRETS: readonly RegExp[] = [
  /\b(?:bearer|basic)\s+[^\s"',;]+/gi,
  /\b(?:sk|pk|rk|xai|gsk|ghp|gho|glpat|hf|r8|pplx|nvapi|key|sess|org|proj)[-_][\w.*-]{4,}/gi,
  /\b(?:AIza|AKIA|ya29\.)[\w.-]{8,}/g,
  /\b(?:x-)?(?:api[-_ ]?key|authorization|access[-_ ]?token|token|secret|password)\b["']?\s*[:=]\s*["']?[^\s"',;]+/gi,
  /\b(?:api[-_ ]?key|token|secret|password)\s+(?=[\w-]*\d)(?=\d*[a-z])[\w-]{8,}/gi,
  /\beyJ[\w-]+(?:\.[\w-]+)+/g,
  /[?&][\w-]*(?:key|token|secret|sig)[\w-]*=[^&\s"']+/gi,
  /\/\/[^\s/@]+@/g,
  /\b(?=[\w+=-]*[a-z])(?=[\w+=-]*[A-Z])(?=[\w+=-]*\d)[\w+=-]{24,}/g,
  /\b(?:[0-9a-f]{32,}|[a-z0-9]{40,})\b/gi,
];

/**
 * What may be told of an error: its status and the start of its message on one line, without what
 * looks like a key and without the body of a response.
 */
export function safeMessage(status: number | undefined, error: unknown): string {
  const words = withoutBody(messageOf(error).slice(0, LONGEST_BODY)).slice(0, LOOK_UNITS);
  const said = withoutSecrets(words)
    .replace(/[\s\p{C}]+/gu, " ")
    .trim();
  const code = status === undefined || said.includes(String(status)) ? "" : `HTTP ${status}`;
  const whole = [code, said].filter((piece) => piece !== "").join(": ") || "The call failed.";
  if (whole.length <= LONGEST) return whole;
  return `${whole.slice(0, LONGEST - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

function messageOf(error: unknown): string {
  if (typeof error === "string") return error;
  return error instanceof Error ? error.message : "";
}

/** A message that quotes a body (JSON or a page) keeps only what the body says in words. */
function withoutBody(message: string): string {
  const body = message.search(/[{<]/);
  if (body < 0) return message;
  const said = /"message"\s*:\s*"((?:[^"\\]|\\.)*)"/.exec(message.slice(body))?.[1] ?? "";
  return `${message.slice(0, body)} ${said.replaceAll(/\\(["\\/])/g, (_, mark: string) => mark)}`;
}

/** A text without what looks like a key, or stands where keys do. */
export function withoutSecrets(message: string): string {
  return SECRETS.reduce((text, secret) => text.replace(secret, () => REMOVED), message);
}
