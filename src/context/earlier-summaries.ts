import type { Archive } from "../archive/archive.ts";
import { createLedgerSum, mergeLedgers } from "../core/ledger/merge.ts";
import { messageText, type Message } from "../core/message/message.ts";
import { isSealedSummary, startsTurn } from "../core/message/structure.ts";
import { isFrame, unframeSummary } from "../core/summary/frame.ts";
import { readForeignWords, type Words } from "../core/summary/words.ts";
import type { Ledger } from "../core/ledger/index.ts";
import type { CompactionTemplate } from "../core/summary/index.ts";
import type { Branch, JournalRecord } from "./journal.ts";

/** The records behind a summary that stands in a list, oldest first; `undefined` for one of others. */
export type RecordsOf = (summary: string) => readonly JournalRecord[] | undefined;

/**
 * The messages without claims to be a summary. A dialect takes a frame like ours for a summary by its form,
 * and anybody can write that into a page or a file. It is one only at the start of the conversation,
 * where ours stand, and if a record or the archive has what it says it stands for; anything else is
 * what the person sent. The same list where there is nothing of the kind. Never rejects.
 */
export async function withoutFalseSummaries(
  messages: readonly Message[],
  recordsOf: RecordsOf,
  archive: Archive,
): Promise<readonly Message[]> {
  if (!messages.some(isFrameByForm)) return messages;
  const claims = new Set<Message>();
  let isStart = true;
  for (const message of messages) {
    const isOurs: boolean = isStart && (await isVouchedFor(message, recordsOf, archive));
    if (!isOurs && isFrameByForm(message)) claims.add(message);
    isStart &&= isOurs && (message.role === "system" || isSealedSummary(message));
  }
  if (claims.size === 0) return messages;
  return messages.map((message) => {
    if (!claims.has(message)) return message;
    const { kind: _, ...plain } = message;
    return plain;
  });
}

/** A message that a dialect made a summary of because of its text. */
function isFrameByForm({ role, kind, source, parts }: Message): boolean {
  return (
    role === "user" &&
    kind === "summary" &&
    source !== undefined &&
    isFrame(messageText({ role, parts }))
  );
}

async function isVouchedFor(
  message: Message,
  recordsOf: RecordsOf,
  archive: Archive,
): Promise<boolean> {
  if (!isFrameByForm(message)) return true;
  const text = messageText(message);
  if (recordsOf(text) !== undefined) return true;
  const { headHandle } = unframeSummary(text) ?? {};
  return headHandle !== undefined && archive.has(headHandle).catch(() => false);
}

/** The summaries that a head holds. */
export interface EarlierSummaries {
  /** All of them as one text, for whoever writes the next one; `undefined` where there is none. */
  readonly text: string | undefined;
  /** Records of other branches that vouch for some of them: no other record has their facts. */
  readonly carried: Branch;
  /** The words of texts that no record vouches for, newest first. */
  readonly strange: readonly Words[];
}

/**
 * The summaries among messages. Ours is only what a record vouches for: whatever else looks like a
 * summary may hold any words, and none of them counts as a fact.
 */
export function earlierSummaries(
  messages: readonly Message[],
  recordsOf: RecordsOf,
  template?: CompactionTemplate,
  standing: Branch = [],
): EarlierSummaries {
  const mayBe = messages.filter((message) => message.kind === "summary" || startsTurn(message));
  const found = mayBe.flatMap((message) => {
    const text = messageText(message);
    const isSummary = message.kind === "summary" && text !== "";
    if (!isSummary && !(startsTurn(message) && isFrame(text))) return [];
    const bare = unframeSummary(text)?.text ?? text;
    return [{ bare, isSummary, records: isSummary ? recordsOf(text) : undefined }];
  });
  const summaries = found.filter(({ isSummary }) => isSummary);
  // A line that is not quoted is read as a recorded fact.
  const texts = summaries.map(({ bare, records }) => (records === undefined ? quoted(bare) : bare));
  const others = summaries.flatMap(({ records }) =>
    records?.at(-1) === standing.at(-1) ? [] : [records ?? []],
  );
  return {
    text: texts.length === 0 ? undefined : texts.join("\n\n"),
    carried: withoutStanding(others.flatMap(withoutKept), standing),
    strange: found
      .filter(({ records }) => records === undefined)
      .map(({ bare, isSummary }) =>
        isSummary ? readForeignWords(bare, template) : { discoveries: `${CLAIM}\n${bare}` },
      )
      .toReversed(),
  };
}

/** Each record once, and none that stands. */
function withoutStanding(records: Branch, standing: Branch): Branch {
  if (records.length === 0) return records;
  const byKey = new Map(records.map((record) => [record.after.key, record]));
  for (const { after } of standing) byKey.delete(after.key);
  return [...byKey.values()];
}

/** The part of a record that those after it rest on. */
export type Consumed = Pick<JournalRecord, "facts" | "plan">;

/**
 * The facts and the plan of a new record, with those of the summaries among its messages. They come
 * from another count of messages, and before all of this one.
 */
export function withCarried(
  { facts, plan }: Consumed,
  carried: Branch,
  cwd: string | undefined,
): Consumed {
  if (carried.length === 0) return { facts, plan };
  const sum = createLedgerSum({ cwd });
  const before: Placing = (all) => all.map((fact) => ({ ...fact, at: -1 }));
  for (const record of carried) sum.add(record.facts);
  const { compaction } = plan;
  const left = carried.flatMap((record) => record.plan.compaction?.unpinned ?? []).toReversed();
  const earlier = left.map((result) => ({ ...result, message: -1 }));
  const unpinned = [...(compaction?.unpinned ?? []), ...earlier];
  return {
    facts: mergeLedgers(placed(sum.ledger(), before), facts, { cwd }),
    plan: { ...plan, compaction: compaction && { ...compaction, unpinned } },
  };
}

/** A change to each list of facts that have a place among the messages. */
type Placing = <Fact extends { readonly at: number }>(facts: readonly Fact[]) => readonly Fact[];

function placed(ledger: Ledger, placing: Placing): Ledger {
  const { commands, instructions, errors, statements } = ledger;
  return {
    ...ledger,
    commands: placing(commands),
    instructions: placing(instructions),
    errors: placing(errors),
    statements: placing(statements),
  };
}

/** Above the words of what looks like a summary of ours and is none. */
const CLAIM = "In a message of the user, as a record that nothing here vouches for:";

function quoted(text: string): string {
  return text.replace(/^(?!>)/gm, "> ");
}

/**
 * The facts of records for a list that has the summary of the newest of them and goes on otherwise:
 * what that record left in the list says there what it says now.
 */
function withoutKept(branch: Branch): Branch {
  const { plan, consumed = 0, before } = branch.at(-1) ?? {};
  const { tailStart = 0, pinned = [] } = plan?.compaction ?? {};
  const isGone = ({ at }: { readonly at: number }): boolean => {
    const index = (before?.length ?? 0) - (consumed - at);
    return index < tailStart && !pinned.includes(index);
  };
  const left: Placing = (facts) => facts.filter(isGone);
  return branch.map((record) => ({ ...record, facts: placed(record.facts, left) }));
}
