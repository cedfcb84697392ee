/* Sentences in any language: where they end, how much they say, what they are for. */

/** A stop with space behind it, a stop of a script that sets none, a line end; in any language. */
const END = /(?<=[.!?؟۔।॥])\s+|(?<=[。！？｡])|\n+/;

/** The sentences of a text, without space around them. */
export function sentencesOf(text: string): readonly string[] {
  return text.split(END).flatMap((sentence) => {
    const said = sentence.trim();
    return said === "" ? [] : [said];
  });
}

/** Scripts that write a syllable or a word with one character. */
const DENSE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu;
/** Of a text of alphabets, so many letters say what one such character says. */
const LETTERS = 3;
/** A longer text is long in any script. */
const COUNTED = 2_000;

/** The length of a text in letters of an alphabet. */
export function saidLength(text: string): number {
  if (text.length >= COUNTED) return text.length;
  return text.length + (LETTERS - 1) * (text.match(DENSE)?.length ?? 0);
}

export function isQuestion(text: string): boolean {
  return /[?？؟;]["'”’»)\]]*$/.test(text.trimEnd());
}

/** A sentence that only leads to what comes next: `Let me look:`. */
export function leadsOn(sentence: string): boolean {
  return /(?:[:：…]|\.\.\.)[*_]*$/.test(sentence.trimEnd());
}

/** Words that somebody set apart: bold, or a word in capitals that is no abbreviation. */
const EMPHASIS =
  /\*\*[^*\n]+\*\*|(?<![\p{L}\p{N}_])__[^_\n]+__|(?<![\p{L}\p{N}_])\p{Lu}{4,}(?![\p{L}\p{N}_])/u;
/** One at the end of a sentence, or several. */
const EXCLAIMED = /[!！](?:["'”’»)\]]*$|[!！])/m;

export function isEmphatic(text: string): boolean {
  return EMPHASIS.test(text) || EXCLAIMED.test(text);
}

/** Names of things in a program: code spans, paths, names with an ending, calls, compound names. */
const REFERENCE =
  /`[^`\n]+`|[\w-]+\/[\w-]|\b[\w-]+\.[A-Za-z]\w{0,5}\b|\w\(\)|\b[a-z]+[A-Z]\w|\b[A-Za-z]+_[A-Za-z]/;

/** A file, a symbol or the like stands in the text. */
export function refersToCode(text: string): boolean {
  return REFERENCE.test(text);
}

const ITEM = /^[ \t]*(?:[-*•‣·]|\d{1,2}[.)、])[ \t]+\S/;

export function isListItem(line: string): boolean {
  return ITEM.test(line);
}
