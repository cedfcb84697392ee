import { shellStatements, type Statement } from "./shell-text.ts";

/** Programs that only show something, with none of the arguments that make some of them do more. */
const LOOKS =
  /^(?:\S*\/)?(?:cd|pwd|ls|cat|head|tail|less|nl|wc|[ef]?grep|rg|ag|jq|cut|uniq|which|file|stat|du|date|echo|printf|true|tr|sed(?! .*-[nErsuz]*i)|find(?! .*-(?:delete|exec|ok|fp|fls))|sort(?! .*-o)|git (?:-C \S+ |-\S+ )*(?:status|log|show|diff|blame|ls-files|grep|rev-parse))(?: |$)/s;
/** The output of another command line. */
const SUBSTITUTION = /\$\(|`|[<>]\(/;
/** Output to these stands in no file. */
const NO_FILE = /^(?:\/dev\/null|\d|-)$/;

/** Whether a command line only shows what is there: what it showed may matter, that it ran does not. */
export function onlyLooks(line: string): boolean {
  const statements = shellStatements(line).filter(({ words }) => words.length > 0);
  return statements.length > 0 && statements.every(looks);
}

function looks({ words, redirects, input }: Statement): boolean {
  const called = words.join(" ");
  const writes = redirects.some(({ sign, target }) => sign.includes(">") && !NO_FILE.test(target));
  return input === undefined && !writes && LOOKS.test(called) && !SUBSTITUTION.test(called);
}
