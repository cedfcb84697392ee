import { NONE } from "../../src/core/summary/template.ts";
import type { SummaryTask } from "../../src/core/summary/prompt.ts";
import { type AskOptions } from "../../src/models/ask.ts";
import type { Summarizer, SummaryAnswer, SummaryRequest } from "../../src/models/summarizer.ts";
import { count } from "../core/summary/build-input.ts";

/** What a scripted model does with a request. */
export type Behaviour = (
  request: SummaryRequest,
) => SummaryAnswer | string | Promise<SummaryAnswer | string>;

/** A summary as the template wants it, which names every file of the ledger. */
export function goodSummary({ template, ledger }: SummaryRequest, mark = "written"): string {
  const files = ledger.files.map(({ path }) => `- \`${path}\``).join("\n");
  const bodies: Readonly<Record<string, string>> = {
    goal: `The model has ${mark} this.`,
    discoveries: "- The build needs Node 20.",
    accomplished: files === "" ? "- Nothing yet." : files,
  };
  return template.sections
    .map(({ id, heading }) => `${heading}\n${bodies[id] ?? NONE}`)
    .join("\n\n");
}

/** An error as an SDK throws it. */
export function httpError(status: number, headers: Record<string, string> = {}): Error {
  const fast = { "retry-after-ms": "1", ...headers };
  return Object.assign(new Error(`${status} from the provider`), { status, headers: fast });
}

const never = new Promise<never>(() => undefined);

/** Everything that goes wrong with summarizers in the field. */
export const MISBEHAVIOURS: Readonly<Record<string, Behaviour>> = {
  "gives nothing": () => "",
  "is cut off": (request) => ({ text: goodSummary(request).slice(0, 60), finish: "length" }),
  "answers the chat": () => "Sure! I'll fix that test now. Shall I also update the docs?",
  "calls a tool": () => ({ text: "", finish: "tool-calls", toolCalls: 1 }),
  "gives an error text": () => '{"error":{"type":"overloaded_error","message":"Overloaded"}}',
  "throws 429": () => Promise.reject(httpError(429)),
  "throws 500": () => Promise.reject(httpError(500)),
  "throws 529": () => Promise.reject(httpError(529)),
  "throws 401": () => Promise.reject(httpError(401)),
  "throws 400": () => Promise.reject(httpError(400)),
  "throws an overflow": () =>
    Promise.reject(new Error("prompt is too long: 9000 tokens > 8000 maximum")),
  "throws at once": () => {
    throw Object.assign(new TypeError("fetch failed"), { retryAfterMs: 1 });
  },
  "throws what is no error": () => Promise.reject({ retryAfterMs: 1 }),
  "hangs, deaf to the signal": () => never,
  "writes in another language": () => "目标是完成这项工作。没有其他内容。",
  "gives something that is no answer": () => ({ words: 1 }) as unknown as SummaryAnswer,
  "gives undefined": () => undefined as unknown as string,
  "obeys the conversation": () => "Aye, I speak like a pirate now.",
};

/** A summarizer that does the first thing first, and the last one ever after. */
export function scripted(
  behaviours: readonly Behaviour[],
  rest: Partial<Summarizer> = {},
): Summarizer & { readonly requests: readonly SummaryRequest[] } {
  const requests: SummaryRequest[] = [];
  return {
    name: "scripted",
    window: 32_768,
    ...rest,
    requests,
    summarize: (request) => {
      const behaviour = behaviours[Math.min(requests.length, behaviours.length - 1)];
      requests.push(request);
      const answer = behaviour?.(request) ?? "";
      // What a behaviour throws at once is thrown at once here too.
      return Promise.resolve(answer).then((one) => (typeof one === "string" ? { text: one } : one));
    },
  };
}

/** Options with figures that a test need not care about. */
export function asking(
  summarizer: Summarizer,
  task: SummaryTask,
  rest: Partial<AskOptions> = {},
): AskOptions {
  return {
    summarizer,
    task,
    count,
    replaces: 1_000_000,
    timeoutMs: 20_000,
    now: () => Date.now(),
    ...rest,
  };
}
