/**
 * References: the names that an agent uses and can hardly guess. Found by their shapes alone, with no
 * code of the ledger, so that the product is not judged by its own eyes.
 */

export type Kind = "path" | "url" | "id" | "identifier" | "flag" | "error" | "number" | "quote";

export interface Reference {
  readonly kind: Kind;
  readonly text: string;
}

/** Shapes in the order in which they claim a text; what one has taken no later one sees. */
const SHAPES: readonly (readonly [Kind, RegExp])[] = [
  ["url", /\bhttps?:\/\/[^\s"'`<>()[\]{}]{4,300}/g],
  [
    "id",
    /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b|\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}\b/g,
  ],
  [
    "path",
    /(?:\b[A-Za-z]:(?=[\\/]))?(?:\.{0,2}[\\/])?(?:[\w@.+-]+[\\/])+[\w@.+-]*\w|\b[\w-]+\.(?:[cm]?[jt]sx?|py|go|rs|java|kt|rb|php|cs?|cpp|hpp|h|json|ya?ml|toml|md|mdx|html?|s?css|sql|sh|txt|lock|xml|cfg|ini|env)\b/g,
  ],
  ["error", /\b(?:E[A-Z]{4,}|[A-Z]{2,4}\d{3,5}|[A-Z]\w+(?:Error|Exception))\b/g],
  ["flag", /(?<![\w-])--[a-z][a-z0-9]*(?:-[a-z0-9]+)*(?!\w)/g],
  ["identifier", /\b[A-Za-z_$]*(?:[a-z][A-Z]|[A-Za-z]_[A-Za-z])[\w$]*/g],
  ["number", /(?<![\w.])\d{4,}(?![\w.])/g],
  // Between two of the same kind, neither of them an apostrophe.
  ["quote", /(?<=(?<!\w)(["'`]))[A-Za-z0-9][\w ./:@#-]{5,60}(?=\1(?!\w))/g],
];

/** Stands for what an earlier shape took; part of no name. */
const CLAIMED = "\0";
/** Shorter names are words. */
const LEAST = 5;
/** More text than this of one piece is not looked at: its names are those of data. */
const LONGEST = 400_000;

export function referencesOf(text: string): ReadonlyMap<string, Reference> {
  const found = new Map<string, Reference>();
  let rest = text.slice(0, LONGEST);
  for (const [kind, shape] of SHAPES) {
    rest = rest.replace(shape, (match) => {
      const name = match.replace(/[.,:;]+$/, "");
      if (name.length < LEAST || (kind === "quote" && !/\W/.test(name))) return match;
      if (!found.has(name)) found.set(name, { kind, text: name });
      return CLAIMED;
    });
  }
  return found;
}

export function holds(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) {
    if (!isWordAt(text, at - 1) && !isWordAt(text, at + name.length)) return true;
  }
  return false;
}

function isWordAt(text: string, index: number): boolean {
  const unit = text.charCodeAt(index);
  // Digits, letters and the underscore.
  return (
    (unit >= 48 && unit <= 57) ||
    (unit >= 65 && unit <= 90) ||
    (unit >= 97 && unit <= 122) ||
    unit === 95
  );
}
