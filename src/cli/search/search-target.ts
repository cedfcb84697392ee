import { fieldsOf } from "../../core/text/json.ts";
import type { Needle } from "./needle.ts";
import { beginsTurn, findInRecord, kindOfText, timeOfRecord } from "./record.ts";
import { documentRecords, type SessionRecord, sessionRecords } from "./records.ts";
import type { SearchTarget } from "./targets.ts";

/** A record of a session in which a text was found. */
export interface RecordHit {
  /** ms since the epoch; absent where the record does not say. */
  readonly time?: number;
  /** After which prompt of the person, from 1; absent in what has no turns. */
  readonly turn?: number;
  /** The line of the file, or the message of a document, from 1. */
  readonly record: number;
  /** `user`, `assistant`, `tool call`, `tool result`, … */
  readonly kind: string;
  /** The text around the match. */
  readonly text: string;
}

/** The hits of one session or file. */
export interface TargetHits {
  /** The first ones. */
  readonly hits: readonly RecordHit[];
  /** The number of its other records that fit. */
  readonly more: number;
}

/** So many are counted beyond those that are shown. */
const MOST_COUNTED = 1_000;

/** Looks through all records of one target; the first `most` hits are kept and the others counted. */
export async function searchTarget(
  target: SearchTarget,
  needle: Needle,
  most: number,
): Promise<TargetHits> {
  const hits: RecordHit[] = [];
  const told = new Set<string>();
  let [turn, more] = [0, 0];
  for await (const each of recordsOf(target)) {
    if (target.session !== undefined && mayBeginTurn(each)) {
      if (beginsTurn(target.agent, each.value())) turn++;
    }
    if (!isCandidate(each, needle)) continue;
    const hit = hitIn(each, needle, turn);
    // Records for a screen repeat what the model was sent.
    if (hit === undefined || told.has(hit.text)) continue;
    told.add(hit.text);
    if (hits.length < most) hits.push(hit);
    else if (++more >= MOST_COUNTED) break;
  }
  return { hits, more };
}

async function* recordsOf({ path, session }: SearchTarget): AsyncGenerator<SessionRecord> {
  if (path !== undefined) yield* sessionRecords(path);
  else if (session !== undefined) yield* documentRecords(await session.load());
}

const RESULT = Buffer.from("tool_result");
const USER = Buffer.from('"user');

/** Half of a session are results that a program sent in the person's name. */
function mayBeginTurn({ bytes }: SessionRecord): boolean {
  return bytes === undefined || (bytes.includes(USER) && !bytes.includes(RESULT));
}

function isCandidate({ bytes }: SessionRecord, { probes }: Needle): boolean {
  if (bytes === undefined || probes.length === 0) return true;
  return probes.some((probe) => probe.isIn(bytes));
}

function hitIn(each: SessionRecord, needle: Needle, turn: number): RecordHit | undefined {
  const value = each.value();
  const found = findInRecord(value, needle);
  if (found === undefined) return undefined;
  const isText = Object.keys(fieldsOf(value)).length === 0;
  return {
    record: each.number,
    time: timeOfRecord(value),
    ...(turn > 0 && { turn }),
    kind: isText ? "text" : kindOfText(value, found),
    text: around(found.text, found.at),
  };
}

const BEFORE = 60;
const AFTER = 180;

/** The text around a match; the line that it is in, or of a long one a part. */
function around(text: string, at: number): string {
  const lineStart = text.lastIndexOf("\n", at - 1) + 1;
  const from = Math.max(at - BEFORE, at === 0 ? 0 : lineStart);
  const to = Math.min(text.length, at + AFTER);
  return `${from > lineStart ? "…" : ""}${text.slice(from, to)}${to < text.length ? "…" : ""}`;
}
