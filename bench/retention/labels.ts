/**
 * How good the extractor is: `npx tsx bench/retention/labels.ts [FOLDER]`. A person looked at places
 * in the recordings; labels.json has where they are and the digests of the names, and no text.
 */
import { readFileSync } from "node:fs";
import { sha256Hex } from "../../src/archive/index.ts";
import { referencesOf, requestsOf, textsOf } from "../../src/simulate/index.ts";
import { readSegments, type Segment, tokensOf } from "./segments.ts";

interface Labels {
  /** Drawn from what the extractor says was used from far back, evenly over the sessions. */
  readonly extracted: readonly {
    readonly session: string;
    /** How many messages the request was made of. */
    readonly at: number;
    readonly kind: string;
    readonly name: string;
    /** What an agent takes from before; what it would write anyway; what is no name. */
    readonly label: "reference" | "habit" | "no name";
  }[];
  /** All that a person sees in texts that were drawn from the agents' own. */
  readonly seen: readonly {
    readonly session: string;
    readonly at: number;
    readonly part: number;
    readonly name: string;
  }[];
}

const labels = JSON.parse(readFileSync(new URL("labels.json", import.meta.url), "utf8")) as Labels;

const segments = new Map((await readSegments(process.argv[2])).map((one) => [one.name, one]));

const precise = labels.extracted.filter(({ session, at, name }) =>
  usedAt(segments.get(session), at).has(name),
);
const counts = ["reference", "habit", "no name"].map(
  (label) => [label, precise.filter((one) => one.label === label)] as const,
);
const found = labels.seen.filter(({ session, at, part, name }) => {
  const message = segments.get(session)?.messages[at];
  const text = message === undefined ? "" : (textsOf(message)[part] ?? "");
  return digests([...referencesOf(text).keys()]).has(name);
});
console.log(
  `${labels.extracted.length} extracted names looked at, ${precise.length} still extracted:`,
);
for (const [label, some] of counts) {
  console.log(`  ${label}: ${some.length} (${share(some.length, precise.length)})`);
}
console.log(
  `${labels.seen.length} names that a person saw: ${found.length} extracted (${share(found.length, labels.seen.length)})`,
);

/** The digests of what the answer to a request used. */
function usedAt(segment: Segment | undefined, at: number): ReadonlySet<string> {
  if (segment === undefined) return new Set();
  // Later answers do not matter; the file is cut behind this one.
  const messages = segment.messages.slice(0, at + 8);
  const request = requestsOf(messages, (one) => tokensOf([one])).find(
    ({ length }) => length === at,
  );
  return digests(request?.uses.map(({ text }) => text) ?? []);
}

function digests(names: readonly string[]): ReadonlySet<string> {
  return new Set(names.map((name) => sha256Hex(name).slice(0, 16)));
}

function share(part: number, all: number): string {
  return `${((100 * part) / Math.max(1, all)).toFixed(0)} %`;
}
