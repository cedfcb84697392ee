// Takes what belongs to the recording machine out of a session: host name, home folder, user name.

/**
 * @param {unknown} value a session, or a part of it
 * @param {{ host: string, home: string, user: string }} machine
 */
export function scrub(value, machine) {
  if (typeof value === "string") {
    return scrubText(value, machine);
  }
  if (Array.isArray(value)) {
    return value.map((item) => scrub(item, machine));
  }
  if (value !== null && typeof value === "object") {
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, scrub(item, machine)]),
    );
  }
  return value;
}

function scrubText(text, { host, home, user }) {
  const words = [
    [home.length > 1 ? home : "", "/home/demo"],
    [host, "demo-host"],
    [user, "demo"],
  ];
  return words.reduce((result, [from, to]) => replaceWord(result, from, to), text);
}

/** Whole words only, so that a user called "root" does not change the word "rootless". */
function replaceWord(text, from, to) {
  if (from === "") {
    return text;
  }
  const literal = from.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return text.replaceAll(new RegExp(`(?<![\\w-])${literal}(?![\\w-])`, "g"), to);
}
