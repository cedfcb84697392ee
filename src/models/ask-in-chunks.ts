import { type Ledger, mergeAllLedgers } from "../core/ledger/index.ts";
import {
  type ChunksPlan,
  joinSummaries,
  type MergeGroup,
  planMerge,
  type PromptBudget,
  promptWithin,
  type SummaryChunk,
  type SummaryInput,
} from "../core/summary/prompt/index.ts";
import { extractiveSummary } from "../core/summary/index.ts";
import { type AskContext, askTwice } from "./ask-twice.ts";
import { startDeadline } from "./call-deadline.ts";

/** The summary of a stretch of the head. */
interface Partial {
  readonly text: string;
  readonly ledger: Ledger;
  /** What is missing in it; empty when a model's answer was accepted. */
  readonly problems: readonly string[];
}

/** A summary made of several; the same form as one call's. */
export interface ChunkedSummary {
  readonly text?: string;
  readonly problems: readonly string[];
}

/** What a part of the conversation is summarized with. */
function ofPart(input: SummaryInput, ledger: Ledger): SummaryInput {
  const { instructions, statements } = input.known ?? input.ledger;
  // What became of a file later makes nothing wrong that is said of its part; how people write does.
  const known = { ...ledger, instructions, statements };
  return { ...input, ledger, known, previousSummary: undefined };
}

/** So many calls run at a time. */
const CONCURRENCY = 3;
/** Chunks may take this part of the time; the rest is for putting them together. */
const CHUNK_TIME = 0.7;

/**
 * Summarizes chunks and merges what came back. Where a model gave nothing usable for a chunk, its
 * facts stand in; where a merge fails, facts are put together without a model.
 */
export async function askInChunks(
  plan: ChunksPlan,
  input: SummaryInput,
  context: AskContext,
): Promise<ChunkedSummary> {
  const partials = await summarizeChunks(plan, input, context);
  if (!partials.some(({ isModel }) => isModel)) {
    return { problems: partials.flatMap(({ problems }) => problems).slice(0, 1) };
  }
  return mergeAll(partials, plan.cap, { input, context });
}

type ChunkPartial = Partial & { readonly isModel: boolean };

async function summarizeChunks(
  plan: ChunksPlan,
  input: SummaryInput,
  context: AskContext,
): Promise<readonly ChunkPartial[]> {
  const { deadline, now } = context;
  const timeoutMs = Math.floor(deadline.left() * CHUNK_TIME);
  const own = startDeadline({ timeoutMs, within: deadline, now });
  let isHopeless = false;
  try {
    return await mapLimited(plan.chunks, async (chunk, index) => {
      const head = input.head.slice(chunk.from, chunk.to);
      const ask = { ...ofPart(input, chunk.ledger), head, cap: plan.cap };
      const place = { part: index + 1, of: plan.chunks.length };
      const { prompt } = chunk;
      if (prompt === undefined || isHopeless) return standIn(chunk, ask, context.budget);
      const within = (budget: PromptBudget): ReturnType<typeof promptWithin> =>
        promptWithin(ask, budget, place);
      const asked = await askTwice(
        { purpose: "chunk", input: ask, prompt, within },
        { ...context, deadline: own },
      );
      isHopeless ||= asked.isHopeless;
      const { text, problems } = asked;
      if (text !== undefined) return { text, ledger: chunk.ledger, problems, isModel: true };
      return standIn(chunk, ask, context.budget, problems);
    });
  } finally {
    own.end();
  }
}

/** The facts of a chunk in place of a model's words. */
function standIn(
  { ledger }: SummaryChunk,
  { cap, template }: SummaryInput,
  { count }: PromptBudget,
  problems: readonly string[] = ["A part of the conversation was left to its facts."],
): ChunkPartial {
  const text = extractiveSummary({ ledger, cap, template, count });
  return { text, ledger, problems, isModel: false };
}

interface MergeContext {
  readonly input: SummaryInput;
  readonly context: AskContext;
}

async function mergeAll(
  chunks: readonly Partial[],
  cap: number,
  { input, context }: MergeContext,
): Promise<ChunkedSummary> {
  const { budget, deadline } = context;
  let partials = chunks;
  while (deadline.left() > 0) {
    const texts = partials.map(({ text }) => text);
    const plan = planMerge({ texts, cap }, input, budget);
    if (plan === undefined) break;
    const level = partials;
    partials = await mapLimited(plan.groups, (group) => {
      const some = level.slice(group.from, group.to);
      const ledger = mergeAllLedgers(some.map((partial) => partial.ledger));
      const target = plan.isLast ? { ...input, ledger } : { ...ofPart(input, ledger), cap };
      return mergeGroup(group, some, { input: { ...target, head: [] }, context });
    });
    const [only] = partials;
    if (plan.isLast && only !== undefined) return only;
  }
  const joined = joinPartials(partials, input, budget);
  return { text: joined, problems: [...problemsOf(partials), deadline.reason() ?? NO_MERGE] };
}

const NO_MERGE = "The summaries of the parts could not be merged by a model.";

async function mergeGroup(
  { prompt }: MergeGroup,
  partials: readonly Partial[],
  { input, context }: MergeContext,
): Promise<Partial> {
  const [first] = partials;
  if (first === undefined || prompt === undefined) return first as Partial;
  const { ledger } = input;
  const asked = await askTwice({ purpose: "merge", input, prompt }, context);
  const earlier = problemsOf(partials);
  const { text, problems } = asked;
  if (text !== undefined) return { text, ledger, problems: [...earlier, ...problems] };
  const joined = joinPartials(partials, input, context.budget);
  return { text: joined, ledger, problems: [...earlier, ...problems] };
}

/** Facts put together without a model, the previous summary among them if the input has one. */
function joinPartials(
  partials: readonly Partial[],
  input: SummaryInput,
  budget: PromptBudget,
): string {
  const { previousSummary = "" } = input;
  const texts = partials.map(({ text }) => text);
  return joinSummaries(previousSummary === "" ? texts : [previousSummary, ...texts], input, budget);
}

function problemsOf(partials: readonly Partial[]): readonly string[] {
  return [...new Set(partials.flatMap(({ problems }) => problems))];
}

/** Results in the order of the values, however long each takes. */
async function mapLimited<T, R>(
  values: readonly T[],
  work: (value: T, index: number) => Promise<R> | R,
): Promise<readonly R[]> {
  const found: R[] = [];
  const open = values.entries();
  const worker = async (): Promise<void> => {
    for (const [index, value] of open) found[index] = await work(value, index);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  return found;
}
