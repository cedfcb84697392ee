export type Environment = Readonly<Record<string, string | undefined>>;

/** Those of this process; none where there is no process, e.g. in a browser. */
export function processEnvironment(): Environment {
  const { process } = globalThis as { readonly process?: { readonly env?: Environment } };
  return process?.env ?? {};
}

/** A variable; one that is set to nothing is not set. */
export function variable(env: Environment, name: string): string | undefined {
  const value = env[name]?.trim();
  return value === "" ? undefined : value;
}

const SECRET_VARIABLE = /(?:KEY|TOKEN|SECRET|PASSWORD)$/;

/** Keys that others look up in the environment by themselves. */
export function secretsOf(env: Environment): readonly (string | undefined)[] {
  return Object.entries(env).flatMap(([name, value]) =>
    SECRET_VARIABLE.test(name) ? [value] : [],
  );
}

/** Takes secrets out of a text that others wrote. */
export type Redact = (text: string) => string;

/** Shorter values are none; what servers without keys are given, and what only looks like a setting. */
const MIN_LENGTH = 3;
const NO_SECRET =
  /^(?:true|false|none|null|undefined|yes|no|local|localhost|ollama|lm-studio|test|dummy|empty|key|token|secret|password|\d{1,4})$/i;
/** A shorter one is only meant where it stands alone. */
const TELLING_LENGTH = 8;
/** Unseen characters may stand between any two of a key. */
const UNSEEN = "[\\p{Cf}\\p{Cc}\\u034f\\u2028\\u2029\\ufe00-\\ufe0f]*";

/** Replaces each secret wherever it stands, also as JSON or a URL would spell it. */
export function redactor(secrets: readonly (string | undefined)[]): Redact {
  const known = secrets.flatMap((secret) => secret?.trim() ?? []);
  const meant = known.filter((text) => text.length >= MIN_LENGTH && !NO_SECRET.test(text));
  const spellings = meant.flatMap((text) => [
    text,
    JSON.stringify(text).slice(1, -1),
    encodeURIComponent(text),
  ]);
  // A longer spelling may hold a shorter one.
  const longestFirst = [...new Set(spellings)].toSorted((a, b) => b.length - a.length);
  if (longestFirst.length === 0) return (text) => text;
  const secret = new RegExp(longestFirst.map(patternOf).join("|"), "gu");
  return (text) => text.replace(secret, "[redacted]");
}

function patternOf(secret: string): string {
  const spelled = Array.from(secret, (one) => one.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"));
  const pattern = spelled.join(UNSEEN);
  return secret.length >= TELLING_LENGTH ? pattern : `(?<![\\w-])${pattern}(?![\\w-])`;
}

/** The looks of keys, and the places where they stand. */
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

/** A text without what looks like a key, or stands where keys do: for keys that nobody told us. */
export function withoutSecrets(text: string): string {
  return SECRETS.reduce((clean, secret) => clean.replace(secret, () => "[removed]"), text);
}
