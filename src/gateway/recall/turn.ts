import { parseInput, isWireObject, type WireObject } from "../../dialects/wire.ts";
import { eventBytes, eventsOf } from "./events.ts";
import type { Extent, IsOwn, OwnCall, OwnResult, RecallWire, Round, Verdict } from "./wire.ts";

/** A request in which tools of ours were offered. */
export interface RecallTurn {
  readonly wire: RecallWire;
  readonly params: WireObject;
  readonly isOwn: IsOwn;
  run(call: OwnCall): Promise<OwnResult>;
  /** Asks the model again, with what was said since behind the request. */
  ask(said: readonly WireObject[]): Promise<Response>;
  /** Keeps an answer of which the client sees a part only. Rejects where that cannot be stored. */
  keep(answer: MadeAnswer): Promise<void>;
  /** Is told what failed while the answer goes on. */
  failed(error: unknown): void;
}

/** An answer in several rounds, or with calls that its client never sees. */
export interface MadeAnswer {
  /** As the client has it. */
  readonly visible: readonly WireObject[];
  readonly rounds: readonly Round[];
  readonly before: Extent;
  readonly hidden: Round;
}

/** Look-ups of the model in one answer, at most. */
const MOST_ROUNDS = 8;
const LAST_WORD = "That was the last look for now: answer, or go on with your other tools.";

/**
 * An answer as the client gets it: our calls are answered on the way, and what the model says then
 * goes on as the same answer. The very response if there are none.
 */
export async function answeredThrough(first: Response, turn: RecallTurn): Promise<Response> {
  if (!first.ok || first.body === null) return first;
  const { headers } = first;
  const isStream = headers.get("content-type")?.includes("text/event-stream") === true;
  return isStream
    ? new Response(ReadableStream.from(streamed(first, turn)), { headers })
    : answeredWhole(first, turn);
}

interface Course {
  readonly answers: readonly WireObject[];
  readonly rounds: readonly Round[];
}

/** Another answer follows, or the end. */
type Step = { readonly next: Response; readonly course: Course } | { readonly merged: WireObject };

async function stepFrom(
  { answers: before, rounds }: Course,
  answer: WireObject,
  turn: RecallTurn,
): Promise<Step | undefined> {
  const { wire, isOwn, params } = turn;
  const said = wire.said(answer, params);
  const own = wire.own(said, isOwn);
  if (own.length === 0 && rounds.length === 0) return undefined;
  const answers = [...before, answer];
  const hasTheirs = wire.spoken(said).calls.length > own.length;
  const isLast = rounds.length === MOST_ROUNDS - 1;
  const outputs = await Promise.all(own.map((call) => turn.run(wire.callOf(call))));
  const told = isLast
    ? outputs.map(({ id, text }) => ({ id, text: `${text}\n\n${LAST_WORD}` }))
    : outputs;
  const results = own.length === 0 ? [] : wire.results(told);
  if (own.length > 0 && !hasTheirs && rounds.length < MOST_ROUNDS) {
    const made = [...rounds, { said, results }];
    const next = await turn.ask(made.flatMap((round) => [...round.said, ...round.results]));
    return { next, course: { answers, rounds: made } };
  }
  const merged = wire.merged(answers, isOwn);
  const visible = (made: WireObject): readonly WireObject[] => wire.said(made, {});
  const earlier = before.length === 0 ? [] : visible(wire.merged(before, isOwn));
  const hidden = { said: own, results };
  const kept = { visible: visible(merged), rounds, before: wire.spoken(earlier).extent, hidden };
  // It is on disk before the client has all of it.
  await turn.keep(kept).catch((error: unknown) => turn.failed(error));
  return { merged };
}

async function answeredWhole(first: Response, turn: RecallTurn): Promise<Response> {
  let course: Course = { answers: [], rounds: [] };
  for (let answer = first; ;) {
    const text = await answer.text();
    const { status, headers } = answer;
    const value = parseInput(text);
    const step = answer.ok && isWireObject(value) ? await stepFrom(course, value, turn) : undefined;
    if (step === undefined) return new Response(text, { status, headers });
    if ("merged" in step) return new Response(JSON.stringify(step.merged), { status, headers });
    ({ next: answer, course } = step);
  }
}

async function* streamed(first: Response, turn: RecallTurn): AsyncGenerator<Uint8Array> {
  const { wire, isOwn } = turn;
  const sieve = wire.sieve(isOwn);
  let course: Course = { answers: [], rounds: [] };
  for (let answer = first; ; sieve.next()) {
    const events: WireObject[] = [];
    const held: Held[] = [];
    for await (const { raw, value } of eventsOf(answer)) {
      if (value !== undefined) events.push(value);
      const { now, later } = partsOf(raw, value && sieve.take(value), held.length > 0);
      if (now !== undefined) yield now;
      if (later !== undefined) held.push(later);
    }
    // Without its end an answer is cut, and the client has to see that.
    const step = held.length > 0 ? await stepFrom(course, wire.assemble(events), turn) : undefined;
    if (step === undefined) return;
    if ("merged" in step) {
      const { merged } = step;
      for (const one of held) {
        yield Buffer.isBuffer(one) ? one : eventBytes(sieve.finish(one, merged));
      }
      return;
    }
    ({ next: answer, course } = step);
    if (!answer.ok) {
      yield eventBytes(wire.fault(await refusalIn(answer)));
      return;
    }
  }
}

/** An event that waits for the end of its round, or what stands in its place. */
type Held = Buffer | WireObject;

/** The part of an event that goes on at once, and the part that waits. */
function partsOf(
  raw: Buffer,
  verdict: Verdict | undefined,
  isHolding: boolean,
): { readonly now?: Buffer; readonly later?: Held } {
  // The end of a stream comes behind what is held.
  if (verdict === undefined) return isHolding ? { later: raw } : { now: raw };
  if (verdict === "pass") return { now: raw };
  const { send, hold } = verdict;
  return { ...(send && { now: eventBytes(send) }), ...(hold && { later: hold }) };
}

async function refusalIn(answer: Response): Promise<WireObject> {
  const text = await answer.text();
  const value = parseInput(text);
  return isWireObject(value) ? value : { message: text };
}
