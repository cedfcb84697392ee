import * as fc from "fast-check";
import type {
  FilePart,
  Message,
  OpaquePart,
  OutputPart,
  Part,
  ReasoningPart,
  TextPart,
  ToolCallPart,
  ToolResultPart,
} from "../../src/core/message/index.ts";

/** What a generated conversation may look like. */
export interface ConversationShape {
  /** Never end with an assistant message. Default: false. */
  readonly endsWithInput?: boolean;
  /** Default: 4. */
  readonly maxTurns?: number;
  /** Of each turn. Default: 4. */
  readonly maxSteps?: number;
  /** Of each step. Default: 3. */
  readonly maxCalls?: number;
  /** Draws texts and inputs from so many that are made once, which is ten times as fast. Default: 0. */
  readonly fewLeaves?: number;
}

/** Text with something to see in it: any characters, markup, replacement patterns, long lines. */
export const visibleText: fc.Arbitrary<string> = fc
  .oneof(
    { weight: 4, arbitrary: fc.string({ unit: "grapheme", minLength: 1, maxLength: 60 }) },
    { weight: 1, arbitrary: fc.lorem({ maxCount: 30 }) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        "$& $` $'",
        "</prior-conversation-summary>",
        "a\r\nb\tc",
        "{}",
        "0",
        "null ",
      ),
    },
  )
  .filter((text) => text.trim() !== "");

const input: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: fc.dictionary(fc.string({ maxLength: 8 }), fc.jsonValue()) },
  { weight: 1, arbitrary: fc.constantFrom("{ not json", "", 7, null, ["a"]) },
);

/** A 1×1 PNG. */
const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

export const filePart: fc.Arbitrary<FilePart> = fc.constantFrom<FilePart>(
  { type: "file", mediaType: "image/png", data: PIXEL },
  { type: "file", mediaType: "image/jpeg", url: "https://example.com/a.jpg" },
  { type: "file", mediaType: "application/pdf", filename: "report.pdf", data: "JVBERi0xLjQK" },
  { type: "file", mediaType: "application/zip", filename: "all.zip", data: "UEsDBA==" },
  { type: "file", mediaType: "image/*" },
);

/** A tool call and its result, before they have an id. */
interface Exchange {
  readonly toolName: string;
  readonly input: unknown;
  readonly output: readonly OutputPart[];
  readonly isError: boolean;
}

interface Step {
  readonly said: readonly Part[];
  readonly exchanges: readonly Exchange[];
  /** One tool message for all results, or one for each. */
  readonly isBatched: boolean;
}

interface Turn {
  readonly user: readonly Part[];
  readonly injected: readonly Part[];
  readonly steps: readonly Step[];
  readonly answer: readonly Part[];
}

/** So many values of an arbitrary, to draw from. */
function few<T>(arbitrary: fc.Arbitrary<T>, count: number): fc.Arbitrary<T> {
  return count === 0 ? arbitrary : fc.constantFrom(...fc.sample(arbitrary, count));
}

function leavesOf({ fewLeaves = 0 }: ConversationShape) {
  const text: fc.Arbitrary<TextPart> = few(
    visibleText.map((words) => ({ type: "text", text: words })),
    fewLeaves,
  );
  const opaque: fc.Arbitrary<OpaquePart> = few(
    visibleText.map((query) => ({
      type: "opaque",
      kind: "web_search",
      source: { dialect: "elsewhere", value: { type: "web_search", query } },
    })),
    fewLeaves,
  );
  const reasoning: fc.Arbitrary<ReasoningPart> = few(
    fc.record({
      type: fc.constant("reasoning" as const),
      text: fc.oneof(fc.constant(""), visibleText),
      signature: fc.base64String({ minLength: 8, maxLength: 24 }),
    }),
    fewLeaves,
  );
  return { text, opaque, reasoning, inputs: few(input, fewLeaves) };
}

function turnOf(
  { text, opaque, reasoning, inputs }: ReturnType<typeof leavesOf>,
  { maxSteps = 4, maxCalls = 3 }: ConversationShape,
): fc.Arbitrary<Turn> {
  const exchange: fc.Arbitrary<Exchange> = fc.record({
    toolName: fc.constantFrom("bash", "read", "write", "mcp__docs__search", "functions.exec"),
    input: inputs,
    output: fc.oneof(
      { weight: 6, arbitrary: fc.tuple<OutputPart[]>(text) },
      { weight: 1, arbitrary: fc.constant<OutputPart[]>([]) },
      { weight: 1, arbitrary: fc.constant<OutputPart[]>([{ type: "text", text: "" }]) },
      { weight: 2, arbitrary: fc.array(fc.oneof(text, filePart, opaque), { maxLength: 3 }) },
    ),
    isError: fc.boolean(),
  });
  const said = fc.oneof({ weight: 5, arbitrary: text }, { weight: 1, arbitrary: opaque });
  const step: fc.Arbitrary<Step> = fc.record({
    said: fc
      .tuple(fc.option(reasoning, { nil: undefined }), fc.option(said, { nil: undefined }))
      .map((parts) => parts.filter((part) => part !== undefined)),
    exchanges: fc.array(exchange, { minLength: 1, maxLength: maxCalls }),
    isBatched: fc.boolean(),
  });
  return fc.record({
    user: fc
      .tuple(text, fc.array(fc.oneof(text, filePart, opaque), { maxLength: 2 }))
      .map(([first, rest]) => [first, ...rest]),
    injected: fc.array(text, { maxLength: 1 }),
    steps: fc.array(step, { maxLength: maxSteps }),
    answer: fc
      .tuple(fc.array(reasoning, { maxLength: 1 }), text)
      .map(([thought, words]) => [...thought, words]),
  });
}

/**
 * A conversation that every provider takes: perhaps a system message, then turns of a person with
 * steps that call tools in parallel, fail, think, and hold files and blocks nobody knows.
 */
export function legalConversation(shape: ConversationShape = {}): fc.Arbitrary<Message[]> {
  const { endsWithInput = false, maxTurns = 4 } = shape;
  const leaves = leavesOf(shape);
  return fc
    .record({
      system: fc.array(leaves.text, { maxLength: 2 }),
      turns: fc.array(turnOf(leaves, shape), { minLength: 1, maxLength: maxTurns }),
      isAnswered: endsWithInput ? fc.constant(false) : fc.boolean(),
    })
    .map(({ system, turns, isAnswered }) => {
      const nextId = counter();
      return [
        ...(system.length > 0 ? [{ role: "system" as const, parts: system }] : []),
        ...turns.flatMap((each, at) =>
          turnMessages(each, nextId, isAnswered || at < turns.length - 1),
        ),
      ];
    });
}

/** Ids as different providers make them; never the same twice. */
function counter(): () => string {
  let count = 0;
  const forms = ["call_", "toolu_01", "fc|", "functions.exec:"];
  return () => {
    count += 1;
    return `${forms[count % forms.length]}${count}`;
  };
}

function turnMessages(each: Turn, nextId: () => string, isAnswered: boolean): Message[] {
  return [
    { role: "user", parts: each.user },
    ...(each.injected.length > 0
      ? [{ role: "user" as const, kind: "injected" as const, parts: each.injected }]
      : []),
    ...each.steps.flatMap((one) => stepMessages(one, nextId)),
    ...(isAnswered ? [{ role: "assistant" as const, parts: each.answer }] : []),
  ];
}

function stepMessages({ said, exchanges, isBatched }: Step, nextId: () => string): Message[] {
  const calls: ToolCallPart[] = [];
  const results: ToolResultPart[] = [];
  for (const { toolName, input, output, isError } of exchanges) {
    const toolCallId = nextId();
    calls.push({ type: "tool-call", toolCallId, toolName, input });
    const failed = isError ? { isError } : {};
    results.push({ type: "tool-result", toolCallId, toolName, output, ...failed });
  }
  const assistant: Message = { role: "assistant", parts: [...said, ...calls] };
  if (isBatched) return [assistant, { role: "tool", parts: results }];
  return [assistant, ...results.map((result): Message => ({ role: "tool", parts: [result] }))];
}
