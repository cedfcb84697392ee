/** Scripts that do not put spaces between words: there each character counts as one. */
const WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}])[\p{L}\p{M}\p{N}_])+/gu;
const ASCII_WORD = /\w+/g;
// oxlint-disable-next-line no-control-regex -- it says what ASCII is
const ASCII = /^[\u0000-\u007f]*$/;

/** Words that say nothing by themselves, and those with which a model introduces what a user said. */
const FILLERS = new Set(
  "a an the of to in on at by for with and or as is are be been was were it its this that these those there then so i we you he she they me my our your their user users wants want wanted asks asked said says prefers requires required must should shall will would can please all any each every do does did have has".split(
    " ",
  ),
);

const NEGATIONS = new Set(
  "no not never without cannot none nor nicht kein keine keinen keinem keiner nie niemals ohne pas jamais sans non aucun aucune nunca sin ningún não nem sem не нет без никогда нельзя không đừng chớ 不 没 沒 勿 别 別 禁 無 无".split(
    " ",
  ),
);

/** A text for comparing: alike characters as one, no invisible ones, lower case. */
export function plainForm(text: string): string {
  const plain = ASCII.test(text) ? text : text.normalize("NFKC").replace(/\p{Cf}/gu, "");
  return plain.toLowerCase();
}

/** The words of a piece of text that say what it is about, and whether it is negated. */
export interface Meaning {
  readonly words: readonly string[];
  readonly isNegated: boolean;
}

export function meaningOf(text: string): Meaning {
  const plain = plainForm(text).replace(/n['’]t(?![a-z])/g, " not");
  const all: readonly string[] = plain.match(ASCII.test(plain) ? ASCII_WORD : WORD) ?? [];
  const words = all.filter((word) => !FILLERS.has(word) && !NEGATIONS.has(word));
  return { words, isNegated: all.some((word) => NEGATIONS.has(word)) };
}

/** The words that say what a text is about. */
export function contentWords(text: string): readonly string[] {
  return meaningOf(text).words;
}
