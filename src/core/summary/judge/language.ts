import type { Ledger } from "../../ledger/index.ts";
import { foreignScript, saidIn } from "./script.ts";

/**
 * Languages of the Latin script by words that every text in them is full of, without those that
 * English or code has too.
 */
const LANGUAGES: readonly (readonly [string, ReadonlySet<string>])[] = (
  [
    [
      "English",
      "the and of to is for was with that this are be it by from were not has have which",
    ],
    [
      "German",
      "der das und nicht ist mit für auf wurde werden wird eine einen dem den von zu im sich auch sind oder nach bei aus noch keine",
    ],
    [
      "French",
      "le la les des et est dans pour une du sur pas qui que avec ont été sont par au aux cette",
    ],
    ["Spanish", "el la los las en de para una del con por se está fue han que como pero más"],
    ["Portuguese", "os de em para uma da que com por não foi dos das ao mais são"],
    ["Italian", "il la gli di per una della dei con non sono nel alla che più"],
    ["Dutch", "het een van niet op te voor zijn werd naar ook bij dat de wordt"],
  ] as const
).map(([name, words]) => [name, new Set(words.split(" "))]);

/** Prose has a quarter to a half of such words, notes in short lines somewhat fewer. */
const MOSTLY = 0.15;
/** Neighbours of a language share words with it: they are above this. */
const HARDLY = 0.03;
/** Where English has more of a part than this, it was not forgotten. */
const FAR_MORE = 4;
/** Fewer words do not show a language. */
const LEAST_WORDS = 40;
const LOOK_UNITS = 20_000;
/** Code and headings are in no language, and nor are paths, links and names. */
const NO_PROSE = /```[^`]*```|`[^`\n]*`|^#.*$/gm;
const NAME = /[/\\_]/;

/**
 * What a summary is written in, if neither the user nor the agent writes that: a script, e.g. `Han
 * script`, or a language. Only where there is no doubt; English is never wrong, because agents work in
 * it whatever their user speaks.
 */
export function foreignLanguage(text: string, ledger: Ledger): string | undefined {
  const script = foreignScript(text, ledger);
  if (script !== undefined) return `${script} script`;
  const own = sharesIn(text);
  const english = own.shares.get("English") ?? 0;
  const isWrong = (name: string, share: number): boolean =>
    name !== "English" && share > MOSTLY && share > english * FAR_MORE;
  const [language] = [...own.shares].find(([name, share]) => isWrong(name, share)) ?? [];
  if (language === undefined || own.words < LEAST_WORDS) return undefined;
  const said = saidIn(ledger).map(sharesIn);
  const isUsed = said.some(({ shares }) => (shares.get(language) ?? 0) >= HARDLY);
  return said.some(isKnown) && !isUsed ? language : undefined;
}

interface Shares {
  readonly words: number;
  /** Of all words, by language. */
  readonly shares: ReadonlyMap<string, number>;
}

/** Whether it can be told what a text is written in. */
function isKnown({ words, shares }: Shares): boolean {
  return words >= LEAST_WORDS && [...shares.values()].some((share) => share > MOSTLY);
}

function sharesIn(text: string): Shares {
  const prose = text.slice(0, LOOK_UNITS).replace(NO_PROSE, " ").toLowerCase();
  const pieces = prose.split(/\s+/).filter((piece) => !NAME.test(piece));
  const words = pieces.flatMap((piece) => piece.match(/\p{L}{2,}/gu) ?? []);
  const share = (own: ReadonlySet<string>): number =>
    words.filter((word) => own.has(word)).length / (words.length || 1);
  return {
    words: words.length,
    shares: new Map(LANGUAGES.map(([name, own]) => [name, share(own)])),
  };
}
