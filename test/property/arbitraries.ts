import * as fc from "fast-check";
import type {
  FilePart,
  Message,
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

const textPart: fc.Arbitrary<TextPart> = visibleText.map((text) => ({ type: "text", text }));

/** A 1×1 PNG. */
const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const filePart: fc.Arbitrary<FilePart> = fc.constantFrom<FilePart>(
  { type: "file", mediaType: "image/png", data: PIXEL },
  { type: "file", mediaType: "image/jpeg", url: "https://example.com/a.jpg" },
  { type: "file", mediaType: "application/pdf", filename: "report.pdf", data: "JVBERi0xLjQK" },
  { type: "file", mediaType: "application/zip", filename: "all.zip", data: "UEsDBA==" },
  { type: "file", mediaType: "image/*" },
);

const opaquePart: fc.Arbitrary<Part & { readonly type: "opaque" }> = visibleText.map((text) => ({
  type: "opaque",
  kind: "web_search",
  source: { dialect: "elsewhere", value: { type: "web_search", query: text } },
}));

const reasoningPart: fc.Arbitrary<ReasoningPart> = fc.record({
  type: fc.constant("reasoning" as const),
  text: fc.oneof(fc.constant(""), visibleText),
  signature: fc.base64String({ minLength: 8, maxLength: 24 }),
});

/** A tool call and its result, before they have an id. */
interface Exchange {
  readonly toolName: string;
  readonly input: unknown;
  readonly output: readonly OutputPart[];
  readonly isError: boolean;
}

const exchange: fc.Arbitrary<Exchange> = fc.record({
  toolName: fc.constantFrom("bash", "read", "write", "mcp__docs__search", "functions.exec"),
  input: fc.oneof(
    { weight: 4, arbitrary: fc.dictionary(fc.string({ maxLength: 8 }), fc.jsonValue()) },
    { weight: 1, arbitrary: fc.constantFrom("{ not json", "", 7, null, ["a"]) },
  ),
  output: fc.oneof(
    { weight: 6, arbitrary: fc.tuple<OutputPart[]>(textPart) },
    { weight: 1, arbitrary: fc.constant<OutputPart[]>([]) },
    { weight: 1, arbitrary: fc.constant<OutputPart[]>([{ type: "text", text: "" }]) },
    { weight: 2, arbitrary: fc.array(fc.oneof(textPart, filePart, opaquePart), { maxLength: 3 }) },
  ),
  isError: fc.boolean(),
});

interface Step {
  readonly said: readonly Part[];
  readonly exchanges: readonly Exchange[];
  /** One tool message for all results, or one for each. */
  readonly isBatched: boolean;
}

const step: fc.Arbitrary<Step> = fc.record({
  said: fc
    .tuple(
      fc.option(reasoningPart, { nil: undefined }),
      fc.option(
        fc.oneof({ weight: 5, arbitrary: textPart }, { weight: 1, arbitrary: opaquePart }),
        {
          nil: undefined,
        },
      ),
    )
    .map((parts) => parts.filter((part) => part !== undefined)),
  exchanges: fc.array(exchange, { minLength: 1, maxLength: 3 }),
  isBatched: fc.boolean(),
});

interface Turn {
  readonly user: readonly Part[];
  readonly injected: readonly Part[];
  readonly steps: readonly Step[];
  readonly answer: readonly Part[];
}

const turn: fc.Arbitrary<Turn> = fc.record({
  user: fc
    .tuple(textPart, fc.array(fc.oneof(textPart, filePart, opaquePart), { maxLength: 2 }))
    .map(([first, rest]) => [first, ...rest]),
  injected: fc.array(textPart, { maxLength: 1 }),
  steps: fc.array(step, { maxLength: 4 }),
  answer: fc
    .tuple(fc.array(reasoningPart, { maxLength: 1 }), textPart)
    .map(([reasoning, text]) => [...reasoning, text]),
});

/**
 * A conversation that every provider takes: perhaps a system message, then turns of a person with
 * steps that call tools in parallel, fail, think, and hold files and blocks nobody knows.
 */
export function legalConversation(shape: ConversationShape = {}): fc.Arbitrary<Message[]> {
  const { endsWithInput = false, maxTurns = 4 } = shape;
  return fc
    .record({
      system: fc.array(textPart, { maxLength: 2 }),
      turns: fc.array(turn, { minLength: 1, maxLength: maxTurns }),
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
