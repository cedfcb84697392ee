import { isEmphatic, isListItem, isQuestion, saidLength, sentencesOf } from "../text/sentences.ts";

/*
 * Rules among a person's words: something that holds from now on. The form tells it in any
 * language; words of some languages only add to that.
 */

const WORDS = [
  /\b(?:always|never|must|(?:do|does|should|may|can) not|cannot|(?:do|does|should|must|ca)n['’]t|at all times|from now on|no matter|only ever|without exception|under no circumstances)\b/i,
  /(?<!\p{L})(?:luôn|không (?:được|bao giờ)|tuyệt đối|đừng|phải|cấm|từ (?:giờ|nay)|immer|nie(?:mals)?|muss|müssen|darf(?:st)?|dürfen|verboten|ab jetzt|keinesfalls|siempre|nunca|jamás|deben?|debes|no (?:se )?pued[aeo]\w*|prohibido|toujours|jamais|il faut|ne \p{L}+ pas|interdit|sempre|mai|nunca|deve[mn]?|всегда|никогда|нельзя|обязательно|долж(?:ен|на|ны)|запрещено|не надо|ніколи|завжди|не можна|заборонено|sempre|asla|her zaman|kesinlikle|yasak|nigdy|zawsze|nie wolno|nooit|altijd|verboden|aldrig|alltid|jangan|dilarang|wajib|harus|ποτέ|πάντα|πρέπει|απαγορεύεται|אסור|חובה|תמיד)(?!\p{L})/iu,
  /不要|不得|不能|不许|不可|禁止|必须|务必|一定要|绝不|始终|总是|永远|请勿|切勿|严禁|不准|必ず|絶対|決して|常に|しないで|てはいけ|てはなら|ないこと|항상|절대|반드시|하지 ?마|면 안|금지|ห้าม|อย่า|ต้อง(?!การ)/u,
  /لا ت|دائم|أبد|يجب|ممنوع|हमेशा|कभी|मत |ज़रूर|अनिवार्य/u,
];
/** A longer text that holds such a word is a report or a log. */
const RULE_LENGTH = 600;
/** A text of so many letters stands for itself: it is a rule, or a small order. */
const SHORT = 240;
const SHORT_SENTENCES = 3;

/** The likeness of a typed text to a rule: 2 by its form or its words, 1 if it is short. */
export function ruleWeight(text: string): 0 | 1 | 2 {
  if (text.length > RULE_LENGTH || isQuestion(text)) return 0;
  const lines = text.split("\n");
  const isList = lines.filter(isListItem).length > 1;
  if (isList || isEmphatic(text) || holdsWord(text)) return 2;
  const isShort = saidLength(text) <= SHORT && sentencesOf(text).length <= SHORT_SENTENCES;
  return isShort ? 1 : 0;
}

/** A longer line is a paragraph, a log or data; a longer sentence no rule. */
const LINE_UNITS = 300;
/** A sentence that is that much shorter than most of a text stands out. */
const SHORT_SHARE = 2 / 3;
/** In letters of an alphabet: what is shorter is a title, a number or a name. */
const LEAST_LETTERS = 16;

/**
 * The likely rules of a long text, a line each: lines of their own, then sentences of its
 * paragraphs. Failing those, sentences that are shorter than most: rules are.
 */
export function ruleLines(text: string): string {
  const lines = text.split("\n");
  const own = lines.filter((line) => line.length <= LINE_UNITS && isRule(line));
  const paragraphs = lines.filter((line) => line.length > LINE_UNITS);
  const inside = paragraphs.flatMap(sentencesOf).filter((one) => one.length <= LINE_UNITS);
  const rules = [...own, ...inside.filter(isRule)];
  return (rules.length > 0 ? rules : shortestOf(lines.flatMap(sentencesOf))).join("\n");
}

function isRule(line: string): boolean {
  return isListItem(line) || isEmphatic(line) || holdsWord(line);
}

/** In the order in which they were said; only what ends as a sentence does. */
function shortestOf(sentences: readonly string[]): readonly string[] {
  const whole = sentences.filter((one) => one.length <= LINE_UNITS && /[.。।]$/.test(one));
  const sizes = new Map(whole.map((one) => [one, saidLength(one)]));
  const middle = [...sizes.values()].toSorted((a, b) => a - b)[sizes.size >> 1] ?? 0;
  return [...sizes]
    .filter(([, size]) => size >= LEAST_LETTERS && size <= middle * SHORT_SHARE)
    .map(([one]) => one);
}

function holdsWord(text: string): boolean {
  return WORDS.some((words) => words.test(text));
}
