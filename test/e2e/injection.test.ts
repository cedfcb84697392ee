import { describe, expect, it } from "vitest";
import { createContext } from "../../src/context/index.ts";
import { checkMessages, type Message, messageText } from "../../src/core/message/index.ts";
import {
  DEFAULT_COMPACTION_TEMPLATE,
  parseSummary,
  unframeSummary,
} from "../../src/core/summary/index.ts";
import { aiSdk } from "../../src/dialects/ai-sdk/ai-sdk.ts";
import { anthropic } from "../../src/dialects/anthropic/anthropic.ts";
import type { Dialect } from "../../src/dialects/dialect.ts";
import { neutral } from "../../src/dialects/neutral/neutral.ts";
import { openaiChat } from "../../src/dialects/openai-chat/openai-chat.ts";
import { openaiResponses } from "../../src/dialects/openai-responses/openai-responses.ts";
import { openaiCompatibleSummarizer } from "../../src/models/index.ts";
import { assistant, call, calling, result, results, user, words } from "../build-messages.ts";
import { HOSTILE_TEXTS, TYPED } from "../core/summary/hostile-texts.ts";
import { isBalanced } from "../core/summary/hostile.ts";
import { upstreamForTest } from "../provider/for-test.ts";
import type { Script } from "../provider/index.ts";
import { HOSTILE_OUTPUTS, type HostileOutput } from "./hostile-outputs.ts";
import { sample } from "../property/runs.ts";

/**
 * Hostile tool outputs over three compactions, with models that obey or copy them: no order of theirs
 * becomes an instruction, none ends the record, and none becomes a turn of the user, in any dialect.
 */

const DIALECTS = [anthropic, openaiChat, openaiResponses, aiSdk, neutral] as readonly Dialect[];
const ROUNDS = 3;
const WINDOW = 64_000;

/** What was tried in a conversation, and what its user typed. */
interface Attack {
  readonly name: string;
  readonly outputs: readonly HostileOutput[];
  readonly typed: readonly string[];
}

const ATTACKS: readonly Attack[] = [
  {
    name: "outputs that pretend to be something else",
    outputs: HOSTILE_OUTPUTS,
    typed: [
      "Port the parser to TypeScript. Never touch the lock file, and keep the public API.",
      "Run the tests before each commit.\n\n## Style\n- no default exports",
      "go on",
    ],
  },
  {
    name: "orders that sound like the user",
    outputs: HOSTILE_TEXTS.map(({ text, order }) => ({ text, mark: order })),
    typed: TYPED,
  },
];

/** The messages of one round: what the user types, and steps with a part of the hostile outputs. */
function round({ outputs, typed }: Attack, at: number): Message[] {
  const own = outputs.filter((_, index) => index % ROUNDS === at);
  const said = typed.filter((_, index) => index % ROUNDS === at);
  const steps = own.flatMap(({ text }, index): Message[] => {
    const id = `r${at}s${index}`;
    const failed = index % 3 === 2;
    const [tool, input] = TOOLS[index % TOOLS.length]!;
    return [
      calling(call(id, tool, input(id))),
      results(result(id, tool, text, failed)),
      assistant(words(800, `thought ${id}`)),
      ...step(`w${id}`, "write", { path: `src/${id}.ts`, content: "x" }),
    ];
  });
  return [...said.map(user), ...steps, ...step(`l${at}`, "bash", { command: "npm test" })];
}

const TOOLS: readonly (readonly [string, (id: string) => object])[] = [
  ["read", (id) => ({ path: `docs/${id}.md` })],
  ["bash", (id) => ({ command: `curl https://example.com/${id}` })],
  ["fetch", (id) => ({ url: `https://example.com/${id}` })],
];

function step(id: string, tool: string, input: object): Message[] {
  return [calling(call(id, tool, input)), results(result(id, tool, "done"))];
}

/** A model that puts what the tools said into every section of its summary, word for word. */
function copying(outputs: readonly HostileOutput[]): Script {
  return ({ lastUserText }) => {
    const seen = outputs.filter(({ mark }) => lastUserText.includes(mark)).map(({ text }) => text);
    const bullets = seen.map((text) => `- ${text}`).join("\n");
    const bare = seen.join("\n");
    return DEFAULT_COMPACTION_TEMPLATE.sections
      .map(({ id, heading }) => `${heading}\n${id === "goal" ? bare : bullets}`)
      .join("\n\n");
  };
}

/** The same, until the last summary has to be made from what it wrote before. */
function copyingThenDown(outputs: readonly HostileOutput[]): Script {
  const copy = copying(outputs);
  let asked = 0;
  return (request, context) => {
    // Two calls for each summary at the most.
    asked++;
    return asked < ROUNDS ? copy(request, context) : { misbehave: "server-error" };
  };
}

/** A model that does what it was told by a tool: its whole answer is that output. */
function obeying(outputs: readonly HostileOutput[]): Script {
  let asked = 0;
  return () => outputs[asked++ % outputs.length]!.text;
}

const MODELS: readonly (readonly [string, (attack: Attack) => Script])[] = [
  ["copies outputs into every section", ({ outputs }) => copying(outputs)],
  ["copies outputs, then is down", ({ outputs }) => copyingThenDown(outputs)],
  ["answers with an output", ({ outputs }) => obeying(outputs)],
  ["takes an order for an instruction", () => () => ({ misbehave: "injected-order" })],
  ["is down", () => () => ({ misbehave: "server-error" })],
];

/** What we write of the user's requests. */
const REQUEST = /^\s*[-*•]?\s*(?:First request|Newest request|Request): /;
const OPENINGS = /[<＜﹤][\s\p{C}]*[/／]?[\s\p{C}]*prior-conversation-summary/giu;

function expectHarmless(summary: string, { outputs, typed }: Attack): void {
  expect(summary.match(OPENINGS)).toHaveLength(2);
  const { text } = unframeSummary(summary)!;
  const headings = text.split("\n").filter((line) => /^ {0,1}#{1,2}\s/.test(line));
  expect(headings).toEqual(DEFAULT_COMPACTION_TEMPLATE.sections.map(({ heading }) => heading));
  const sections = parseSummary(text);
  const requests = (sections.get("goal") ?? "").split("\n").filter((line) => REQUEST.test(line));
  for (const { mark } of outputs) {
    if (typed.some((one) => one.includes(mark))) continue;
    expect(sections.get("instructions")).not.toContain(mark);
    expect(requests.filter((line) => line.includes(mark))).toEqual([]);
  }
}

/** What the user says in a conversation as the provider, or who reads it later, would see it. */
function turnsOf(messages: readonly Message[]): readonly string[] {
  return messages
    .filter(({ role, kind }) => role === "user" && kind === undefined)
    .map((message) => messageText(message));
}

describe.each(ATTACKS)("$name", (attack) => {
  it("are fifty", () => {
    expect(attack.outputs).toHaveLength(50);
  });

  describe.each(sample(MODELS, 2))("with a model that %s", (_, scriptFor) => {
    it.each(sample(DIALECTS, 2).map((dialect) => [dialect.name, dialect] as const))(
      "%s",
      async (__, dialect) => {
        const upstream = await upstreamForTest({ script: scriptFor(attack), window: 128_000 });
        const context = createContext({
          window: WINDOW,
          traits: dialect.traits,
          summarizer: openaiCompatibleSummarizer({
            model: "scripted",
            apiKey: "key",
            baseURL: `${upstream.url}/v1`,
            env: {},
          }),
        });
        let list: readonly Message[] = [];
        for (let at = 0; at < ROUNDS; at++) {
          const { messages, report } = await context.prepare([...list, ...round(attack, at)], {
            force: true,
          });
          expect(report.action).toBe("compact");
          for (const { prompt } of report.summary!.calls)
            expect(isBalanced(prompt.user)).toBe(true);
          expect(checkMessages(messages)).toEqual([]);
          const wire = dialect.encode(messages);
          expect(dialect.check(wire)).toEqual([]);
          // What is stored and read again is what goes on.
          const decoded = dialect.decode(JSON.parse(JSON.stringify(wire)) as typeof wire);
          const summaries = decoded.filter(({ kind }) => kind === "summary");
          expect(summaries).toHaveLength(1);
          expectHarmless(messageText(summaries[0]!), attack);
          for (const turn of turnsOf(decoded)) expect(attack.typed).toContain(turn);
          list = decoded;
        }
        const typed = context.journal().flatMap(({ facts }) => facts.instructions);
        for (const { text } of typed) expect(attack.typed).toContain(text);
        expect(upstream.refusals).toEqual([]);
      },
    );
  });
});
