/**
 * A session as its agent made it: every request in turn, through one context, so that compactions
 * follow one another. Both habits of callers are tried side by side: the whole history every time,
 * and the list that came back plus what is new.
 */
import { type Archive, memoryArchive } from "../../src/archive/index.ts";
import { createContext } from "../../src/context/index.ts";
import { isContextError } from "../../src/core/error.ts";
import { checkMessages, type Message } from "../../src/core/message/index.ts";
import { estimator } from "../../src/core/tokens/estimator.ts";
import { createMessageMeter } from "../../src/core/tokens/index.ts";
import type { Dialect } from "../../src/dialects/dialect.ts";
import { bodyOf, HANDLE, plain, plainPart } from "./check-recovery.ts";
import { contextOptions, type Prepared } from "./check-run.ts";
import { squeezed } from "./check-summary.ts";
import { textOf } from "./reading/read-session.ts";

export interface Growth {
  readonly requests: number;
  readonly failures: readonly string[];
  /** Outputs that were cut twice, so that their handle gives back what was left of them at first. */
  readonly indirect: readonly string[];
}

const meter = createMessageMeter(estimator);

export async function checkGrowth(
  prepared: Prepared,
  window: number,
  dialect: Dialect,
): Promise<Growth> {
  const { session, messages } = prepared;
  const archive = memoryArchive();
  const options = { ...contextOptions(session, window), traits: dialect.traits, archive };
  const whole = createContext(options);
  const onward = createContext(options);
  const failures: string[] = [];
  const requests = requestsOf(messages);
  let last: readonly Message[] = [];
  let fed = 0;
  const indirect = new Set<string>();
  for (const end of requests) {
    const fail = (text: string): void => void failures.push(`at message ${end}: ${text}`);
    const list = [...last, ...messages.slice(fed, end)];
    fed = end;
    last = list;
    try {
      const { messages: view, report } = await whole.prepare(messages.slice(0, end));
      last = (await onward.prepare(list)).messages;
      const wire = dialect.encode(view);
      if (JSON.stringify(wire) !== JSON.stringify(dialect.encode(last))) fail("the habits differ");
      const tokens = meter.total(view);
      if (tokens >= report.usable) fail(`${tokens} tokens, ${report.usable} usable`);
      if (report.action === "none" && end !== messages.length) continue;
      for (const issue of checkMessages(view)) fail(`checkMessages: ${issue.message}`);
      for (const issue of dialect.check(wire)) fail(`${dialect.name}: ${issue.message}`);
      const ours = view.filter(({ metadata }) => metadata?.["head"] !== undefined);
      if (ours.length > 1) fail(`${ours.length} summaries`);
      const input = { prepared, end, view, archive, fail };
      await checkNothingLost(input);
      for (const id of await indirectOutputs(input)) indirect.add(id);
    } catch (error) {
      if (!isContextError(error) || error.code !== "irreducible") fail(`throws: ${String(error)}`);
    }
  }
  return { requests: requests.length, failures, indirect: [...indirect] };
}

/** Before each reply of the agent, and at the end. */
function requestsOf(messages: readonly Message[]): readonly number[] {
  const replies = messages.flatMap(({ role }, index) =>
    role === "assistant" && index > 0 ? [index] : [],
  );
  return [...replies, messages.length];
}

interface LossInput {
  readonly prepared: Prepared;
  /** How many messages were fed. */
  readonly end: number;
  readonly view: readonly Message[];
  readonly archive: Archive;
  readonly fail: (text: string) => void;
}

/** Handle by handle, also those that recovered originals name, everything comes back. */
async function checkNothingLost({ prepared, end, view, archive, fail }: LossInput): Promise<void> {
  const { messages, reading } = prepared;
  const texts = [JSON.stringify(view.map(plain))];
  const seen = new Set(JSON.stringify(messages.map(plain)).match(HANDLE));
  for (let at = 0; at < texts.length; at++) {
    for (const handle of texts[at]?.match(HANDLE) ?? []) {
      if (seen.has(handle)) continue;
      seen.add(handle);
      const original = await archive.get(handle).catch(() => undefined);
      if (original === undefined) fail(`${handle} is named and recovers nothing`);
      else texts.push(original);
    }
  }
  const all = texts.join("\n");
  const has = (text: string): boolean =>
    all.includes(text) || all.includes(JSON.stringify(text).slice(1, -1));
  const said = squeezed(view.map(textOf).join("\n"));
  for (const { at, text } of reading.instructions) {
    if (at < end && !said.includes(squeezed(text)) && !text.split("\n\n").every(has)) {
      fail(`the instruction of message ${at} is gone`);
    }
  }
  if (end !== messages.length) return;
  for (const part of messages.flatMap(({ parts }) => parts)) {
    if (part.type !== "tool-result" || has(bodyOf(part))) continue;
    // An output that no text can stand for leaves with its message only, as the message has it.
    if (!has(JSON.stringify(plainPart(part)["output"])))
      fail(`the output of ${part.toolCallId} is gone`);
  }
}

/** The outputs in the view that no handle in them gives back whole and at once. */
async function indirectOutputs({ prepared, view, archive }: LossInput): Promise<readonly string[]> {
  const sources = new Map<string, string>();
  for (const part of prepared.messages.flatMap(({ parts }) => parts)) {
    if (part.type === "tool-result") sources.set(part.toolCallId, bodyOf(part));
  }
  const found: string[] = [];
  for (const part of view.flatMap(({ parts }) => parts)) {
    if (part.type !== "tool-result") continue;
    const was = sources.get(part.toolCallId);
    const is = bodyOf(part);
    if (was === undefined || is === was) continue;
    const handles = [...(is.match(HANDLE) ?? [])];
    const originals = await Promise.all(
      handles.map((handle) => archive.get(handle).catch(() => undefined)),
    );
    if (!originals.includes(was)) found.push(part.toolCallId);
  }
  return found;
}
