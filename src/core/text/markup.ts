import { wellFormed } from "./clean.ts";

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
};

/** A value from outside on one line and well-formed; spaces stay, because names of files have them. */
export function tagValue(value: string): string {
  return wellFormed(value.replace(/\p{Cc}+/gu, " "));
}

/**
 * The start of an element, without its closing `>`: name and attributes in the order given, those
 * that are `undefined` left out. A value can neither end the tag nor add a line.
 */
export function openTag(
  name: string,
  attributes: Readonly<Record<string, string | number | undefined>>,
): string {
  let tag = `<${name}`;
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== undefined) tag += ` ${key}="${attributeText(String(value))}"`;
  }
  return tag;
}

function attributeText(value: string): string {
  return PLAIN.test(value) ? value : tagText(value).replaceAll('"', "&quot;");
}

/** Most values: printable ASCII that says nothing to a reader of elements. */
const PLAIN = /^[ !#-%'-;=?-~]*$/;

/** A line of foreign text as it may stand within an element. */
export function tagText(value: string): string {
  return tagValue(value).replace(/[&<>]/g, (character) => ENTITIES[character] ?? character);
}

/** The value of an attribute in a tag that {@link openTag} wrote; `undefined` if it has none. */
export function attributeIn(tag: string, name: string): string | undefined {
  const value = new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1];
  return value
    ?.replaceAll("&quot;", '"')
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
}

/** Unseen characters between two letters. */
const UNSEEN = "[\\p{Cf}\\p{DI}]*";

/** The source of a pattern (flags `iu`) for a name as it looks: with invisible characters in it, too. */
export function looksLike(name: string): string {
  return [...name].join(UNSEEN);
}
