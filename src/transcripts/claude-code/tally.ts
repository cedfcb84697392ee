import { totalUsage } from "../../core/message/index.ts";
import { createCounter, isTypedTurn, type FormatCounts } from "../counts.ts";
import type { ContextSample } from "../transcript.ts";
import type { Entry } from "./entry.ts";
import type { SessionLine } from "./line.ts";

/** Counts a whole file, sidechains included, and notes how full the window was. */
export interface Tally {
  add(entry: Entry, line: SessionLine): void;
  counts(): FormatCounts;
  timeline(): readonly ContextSample[];
}

/**
 * A message is a user line or a reply (however many lines it has). A turn is what a person typed
 * into the main conversation as a line of its own: a prompt that was queued while the agent worked
 * joined a running turn. A microcompaction leaves the outputs in the file as they were, so that
 * none counts as pruned.
 */
export function createTally(): Tally {
  const counter = createCounter();
  const callsOfReply = new Map<string, number>();
  const samples = new Map<string, ContextSample>();
  let inputs = 0;
  let turns = 0;

  const addReply = (line: SessionLine, entry: Entry): void => {
    const reply = line.message?.id ?? entry.uuid;
    const parts = entry.content.type === "reply" ? entry.content.message.parts : [];
    const calls = parts.filter(({ type }) => type === "tool-call").length;
    callsOfReply.set(reply, (callsOfReply.get(reply) ?? 0) + calls);
    counter.addParts(parts);
    const sample = sampleOf(entry, samples.get(reply));
    if (sample !== undefined) samples.set(reply, sample);
  };

  return {
    add(entry, line) {
      const { content, sidechain } = entry;
      if (line.type === "assistant") addReply(line, entry);
      if (content.type === "compaction") counter.compaction();
      if (line.type !== "user") return;
      inputs += 1;
      if (content.type !== "input") return;
      for (const message of content.messages) counter.addParts(message.parts);
      if (!sidechain && content.messages.some(isTypedTurn)) turns += 1;
    },
    counts: () => ({
      ...counter.counts(),
      messages: inputs + callsOfReply.size,
      typedUserTurns: turns,
      messagesWithParallelCalls: [...callsOfReply.values()].filter((calls) => calls > 1).length,
    }),
    timeline: () => [...samples.values()],
  };
}

/** Every line of a reply repeats its usage; the last one is the whole. */
function sampleOf(entry: Entry, before: ContextSample | undefined): ContextSample | undefined {
  if (entry.content.type !== "reply" || entry.sidechain) return undefined;
  const { usage, time } = entry.content.message;
  if (usage === undefined) return undefined;
  const tokens = totalUsage(usage);
  if (tokens === 0) return undefined;
  const first = before?.time ?? time;
  return { tokens, ...(first !== undefined && { time: first }) };
}
