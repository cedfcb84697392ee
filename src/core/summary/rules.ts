import { isEmphatic, isListItem, isQuestion, saidLength, sentencesOf } from "../text/sentences.ts";

/*
 * What of a person's words is a rule: something that holds from now on. The form tells it in any
 * language; words of some languages only add to that.
 */

const WORDS = [
  /\b(?:always|never|must|(?:do|does|should|may|can) not|cannot|(?:do|does|should|must|ca)n['’]t|at all times|from now on|no matter|only ever|without exception|under no circumstances)\b/i,
  /(?<!\p{L})(?:luôn|không (?:được|bao giờ)|tuyệt đối|đừng|phải|cấm|từ (?:giờ|nay)|immer|nie(?:mals)?|muss|müssen|darf(?:st)?|dürfen|verboten|ab jetzt|keinesfalls|siempre|nunca|jamás|deben?|debes|no (?:se )?pued[aeo]\w*|prohibido|toujours|jamais|il faut|ne \p{L}+ pas|interdit|sempre|mai|nunca|deve[mn]?|всегда|никогда|нельзя|обязательно|долж(?:ен|на|ны)|запрещено|не надо|sempre|asla|her zaman)(?!\p{L})/iu,
  /不要|不得|不能|不许|不可|禁止|必须|务必|一定要|绝不|始终|总是|永远|请勿|必ず|絶対|決して|常に|しないで|てはいけ|てはなら|ないこと|항상|절대|반드시|하지 ?마/u,
  /لا ت|دائم|أبد|يجب|ممنوع|हमेशा|कभी|मत |ज़रूर|अनिवार्य/u,
];
/** A longer text that holds such a word is a report or a log. */
const RULE_LENGTH = 600;
/** A text of so many letters stands for itself: it is a rule, or a small order. */
const SHORT = 240;
const SHORT_SENTENCES = 3;

/** How much a text that somebody typed looks like a rule: 2 by its form or its words, 1 if it is short. */
export function ruleWeight(text: string): 0 | 1 | 2 {
  if (text.length > RULE_LENGTH || isQuestion(text)) return 0;
  const lines = text.split("\n");
  const isList = lines.filter(isListItem).length > 1;
  if (isList || isEmphatic(text) || holdsWord(text)) return 2;
  const isShort = saidLength(text) <= SHORT && sentencesOf(text).length <= SHORT_SENTENCES;
  return isShort ? 1 : 0;
}

/** A longer line is prose, a log or data. */
const LINE_UNITS = 300;

/** The lines of a long text that look like rules. */
export function ruleLines(text: string): string {
  const isRule = (line: string): boolean =>
    line.length <= LINE_UNITS && (isListItem(line) || isEmphatic(line) || holdsWord(line));
  return text.split("\n").filter(isRule).join("\n");
}

function holdsWord(text: string): boolean {
  return WORDS.some((words) => words.test(text));
}
