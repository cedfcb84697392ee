/** Headers as the wire has them: name, value, name, value, in their order and spelling. */
export type RawHeaders = readonly string[];

/** Headers of one connection (RFC 9110, 7.6.1), and those that are made anew for the next one. */
const OF_A_CONNECTION: ReadonlySet<string> = new Set([
  "connection",
  "expect",
  "host",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Headers to this program itself. */
const OWN = "x-longhaul-";

/** The headers that go on, without those named in `left`; all names in lower case. */
export function endToEnd(raw: RawHeaders, left: readonly string[] = []): string[] {
  const named = headerOf(raw, "connection") ?? "";
  const gone = new Set([...left, ...named.split(",").map((name) => name.trim().toLowerCase())]);
  return pairsOf(raw)
    .filter(([name]) => {
      const key = name.toLowerCase();
      return !OF_A_CONNECTION.has(key) && !gone.has(key) && !key.startsWith(OWN);
    })
    .flat();
}

/** The value of a header, several ones joined by commas. */
export function headerOf(raw: RawHeaders, name: string): string | undefined {
  const values = pairsOf(raw).flatMap(([key, value]) =>
    key.toLowerCase() === name ? [value] : [],
  );
  return values.length === 0 ? undefined : values.join(", ");
}

/** The headers with this one in place of any of its name. */
export function withHeader(raw: RawHeaders, name: string, value: string): string[] {
  const others = pairsOf(raw).filter(([key]) => key.toLowerCase() !== name.toLowerCase());
  return [...others.flat(), name, value];
}

export function pairsOf(raw: RawHeaders): [name: string, value: string][] {
  const pairs: [string, string][] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) pairs.push([raw[at] ?? "", raw[at + 1] ?? ""]);
  return pairs;
}
