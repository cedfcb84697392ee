import { deserialize, serialize } from "node:v8";
import { type Context, createContext, type JournalRecord } from "../../src/context/index.ts";
import { isContextError } from "../../src/core/error.ts";
import type { Message, Part } from "../../src/core/message/index.ts";
import type { Prepared } from "../../src/context/report.ts";
import {
  aiSdk,
  anthropic,
  neutral,
  openaiChat,
  openaiResponses,
} from "../../src/dialects/index.ts";
import { quarter, user } from "../build-messages.ts";
import {
  type Act,
  type Attack,
  createDisk,
  type Disk,
  grown,
  mutilated,
  restartMarks,
  SENSIBLE,
} from "./attack.ts";
import {
  refusedByAiSdk,
  refusedByAll,
  refusedByAnthropic,
  refusedByChat,
  refusedByResponses,
} from "./legal.ts";
import { createReach, type Reached, unreached } from "./reach.ts";

/** The dialects, and what their providers refuse of what they encode. */
const DIALECTS = [
  { traits: neutral.traits, refuses: refusedByAll },
  {
    traits: anthropic.traits,
    refuses: (out: readonly Message[]) => refusedByAnthropic(anthropic.encode(out)),
  },
  {
    traits: openaiChat.traits,
    refuses: (out: readonly Message[]) => refusedByChat(openaiChat.encode(out)),
  },
  {
    traits: openaiResponses.traits,
    refuses: (out: readonly Message[]) => refusedByResponses(openaiResponses.encode(out)),
  },
  { traits: aiSdk.traits, refuses: (out: readonly Message[]) => refusedByAiSdk(aiSdk.encode(out)) },
] as const;

/** All parts, of tool results what they hold. */
function piecesOf(messages: readonly Message[]): readonly Part[] {
  const parts = messages.flatMap((message) => message.parts);
  return parts.flatMap((part): readonly Part[] =>
    part.type === "tool-result" ? part.output : [part],
  );
}

/** What all texts of a list hold at the least, in tokens of {@link quarter}. */
function leastTokens(messages: readonly Message[]): number {
  return piecesOf(messages).reduce(
    (sum, part) => sum + (part.type === "text" ? part.text.length / 4 : 0),
    0,
  );
}

/** One conversation while it goes on. */
interface Run {
  readonly attack: Attack;
  readonly disk: Disk;
  readonly reach: (messages: readonly Message[]) => Promise<Reached>;
  context: Context;
  list: readonly Message[];
  /** What was answered last, as long as the list goes on from it. */
  sent: readonly Message[] | undefined;
  /** Whether every report so far was about what was sent. */
  isHonest: boolean;
  /** Whether the disk took everything so far. */
  isKept: boolean;
}

function open(run: Pick<Run, "attack" | "disk">, journal: readonly JournalRecord[] = []): Context {
  const { dialect, acts: _, ...settings } = run.attack;
  const { traits } = DIALECTS[dialect]!;
  const { archive } = run.disk;
  const now = (): number => 0;
  return createContext({
    ...settings,
    traits,
    archive,
    journal,
    now,
    counter: quarter,
  });
}

/** What may be refused is told in an error of ours; anything else that is thrown is a defect. */
async function answerOf<Answer>(
  task: Promise<Answer>,
  ...codes: readonly string[]
): Promise<Answer | undefined> {
  try {
    return await task;
  } catch (error) {
    if (isContextError(error) && codes.includes(error.code)) return undefined;
    throw error;
  }
}

const REFUSALS: readonly unknown[] = [
  new Error("Unable to download the file. Please verify the URL and try again."),
  { status: 413 },
  new Error("prompt is too long: 9000 tokens > 8000 maximum"),
  new Error("the maximum context length is 12 tokens"),
  new Error("prompt is too long: 30001 tokens > 30000 maximum"),
  new Error("rate limit reached"),
];

async function prepared(run: Run, { act, at }: Act): Promise<Prepared | undefined> {
  const { context, list } = run;
  if (act === "recover") {
    run.isHonest = false;
    const recovered = await answerOf(
      context.recover(list, REFUSALS[at % REFUSALS.length]),
      "irreducible",
    );
    if (recovered !== undefined) await expectPromises(run, recovered);
  }
  return answerOf(context.prepare(list, { force: act === "force" }), "irreducible");
}

/** Throws where a promise is broken; a matcher of the test runner takes longer than all of a step. */
function promise(holds: boolean, broken: () => string): void {
  if (!holds) throw new Error(broken());
}

async function expectPromises(run: Run, { messages, report }: Prepared): Promise<void> {
  const { refuses } = DIALECTS[run.attack.dialect]!;
  const wasLegal = refusedByAll(run.list) === undefined;
  if (wasLegal || report.action !== "none") {
    const refused =
      refusedByAll(messages) ?? (report.action === "none" ? undefined : refuses(messages));
    promise(refused === undefined, () => `refused: ${refused}`);
  }
  expectFits(run, { messages, report });
  if (report.failures.length > 0) run.isKept = false;
  // What a repair leaves out is named in the report; see the tests of repairs.
  if (!run.isKept || !wasLegal || messages === run.list) return;
  const before = await run.reach(run.list);
  const after = await run.reach(messages);
  const lost = unreached(before, after);
  promise(lost.length === 0, () => `lost: ${lost.join("\n")}`);
  const missing = [...after.missing].filter((handle) => !before.missing.has(handle));
  promise(missing.length === 0, () => `not archived: ${missing.join(", ")}`);
}

function expectFits(run: Run, { messages, report }: Prepared): void {
  const { maxBytes = Infinity, maxImages = Infinity } = run.attack.requestLimits ?? {};
  const { usable, tokens } = report;
  // A report that says too much is no reason to refuse what fits as it is counted.
  if (run.isHonest) promise(tokens.after < usable, () => `${tokens.after} of ${usable} tokens`);
  const least = leastTokens(messages) * (run.isHonest ? 1 : 0.5);
  promise(least < usable, () => `at least ${least} of ${usable} tokens`);
  const shown = images(messages);
  promise(shown <= maxImages, () => `${shown} of ${maxImages} images`);
  if (maxBytes === Infinity) return;
  const bytes = Buffer.byteLength(JSON.stringify(messages.map(({ parts }) => parts))) * 0.9;
  promise(bytes < maxBytes, () => `${bytes} of ${maxBytes} bytes`);
}

function images(messages: readonly Message[]): number {
  return piecesOf(messages).filter(
    (part) => part.type === "file" && part.mediaType.startsWith("image/"),
  ).length;
}

async function doAct(run: Run, act: Act): Promise<void> {
  const { context, list, disk } = run;
  const { at, report } = act;
  const index = at % list.length;
  if (!SENSIBLE.has(report)) run.isHonest = false;
  const grow = (from: readonly Message[]): Message[] => grown(from, act, run.sent);
  switch (act.act) {
    case "copy":
      // Node 20 needs a tenth of a case for one `structuredClone`.
      run.list = deserialize(serialize(list)) as Message[];
      break;
    case "rewind":
      run.list = list.slice(0, index + 1);
      break;
    case "fork":
      run.list = grown(list.slice(0, index + 1), act, undefined);
      break;
    case "change":
      if (list[index]?.parts.every((part) => part.type === "text")) {
        run.list = list.with(index, user(`changed ${at}`));
      }
      break;
    case "undo":
      run.list = (await answerOf(context.undo(list), "unknown-handle", "archive-failed")) ?? list;
      break;
    case "restart":
      run.context = open(run, JSON.parse(JSON.stringify(context.journal())));
      break;
    case "forget":
      run.context = open(run);
      // What was reported before the edits that nobody knows any more stands in the list still.
      run.isHonest = false;
      break;
    case "break":
      disk.isFull = true;
      run.list = grow(list);
      break;
    case "mend":
      disk.isFull = false;
      break;
    case "mutilate":
      run.list = mutilated(grow(list), at);
      break;
    default:
      run.list = grow(list);
  }
}

function isSame(one: readonly Message[], other: readonly Message[] = []): boolean {
  const isOther = (message: Message, at: number): boolean =>
    message !== other[at] && JSON.stringify(message) !== JSON.stringify(other[at]);
  return one.length === other.length && !one.some(isOther);
}

/** Plays an attack, and looks at every answer of the engine. Rejects with the first broken promise. */
export async function keepsPromises(attack: Attack): Promise<void> {
  restartMarks();
  const disk = createDisk();
  const run: Run = {
    attack,
    disk,
    reach: createReach(disk.archive),
    context: open({ attack, disk }),
    list: [user("do the work")],
    sent: undefined,
    isHonest: true,
    isKept: true,
  };
  for (const act of attack.acts) {
    await doAct(run, act);
    const one = await prepared(run, act);
    run.sent = one?.messages;
    if (one === undefined) continue;
    await expectPromises(run, one);
    const again = await answerOf(run.context.prepare(run.list), "irreducible");
    if (run.isHonest) promise(isSame(one.messages, again?.messages), () => "prepared twice");
    if (act.act === "adopt") run.list = one.messages;
  }
}
