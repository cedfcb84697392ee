import type { Archive, ArchiveJournal } from "../../archive/archive.ts";
import { sha256Hex } from "../../archive/digest.ts";
import { memoryArchive } from "../../archive/memory.ts";
import { type RecallInput, recallTools, type SearchInput } from "../../archive/recall-tools.ts";
import { fieldsOf } from "../../core/text/json.ts";
import { isWireObject, type WireObject } from "../../dialects/wire.ts";
import { digestOf } from "../../hooks/conversations.ts";
import type { MadeAnswer } from "./turn.ts";
import type { Answered, IsOwn, OwnCall, OwnResult, RecallWire, Spoken } from "./wire.ts";

const TOOLS = recallTools(memoryArchive());
const NAMES: ReadonlySet<unknown> = new Set(Object.keys(TOOLS));

export const isOwnTool: IsOwn = (name) => NAMES.has(name);

/** The decision about the tools, in the journal of its conversation. */
interface OfferEntry {
  readonly recallTools: boolean;
}

interface RecallParts {
  readonly wire: RecallWire;
  /** The originals of this conversation alone. */
  readonly archive: Archive;
  /** Absent where nothing may be kept; nothing is offered then. */
  readonly journal: ArchiveJournal | undefined;
  /** Conversations that begin get the tools. */
  readonly isWanted: boolean;
}

/** The tools of ours in one conversation, and the answers in which they were called. */
export function createRecalls({ wire, archive, journal, isWanted }: RecallParts) {
  const book = createBook(journal);
  const definitions = Object.entries(TOOLS).map(([name, { description, inputSchema }]) =>
    wire.define({ name, description, schema: inputSchema }),
  );
  const { recall, search_archive } = recallTools(archive);
  return {
    /** The list as the provider saw it: with our calls and their results. The very list without any. */
    async restored(list: readonly WireObject[]): Promise<readonly WireObject[]> {
      const { known } = await book.read();
      return known.size === 0 ? list : restoredList(list, wire, known);
    },
    /** The first request of a conversation decides for ever. */
    async isOffered(
      params: WireObject,
      list: readonly WireObject[],
      { isCount }: { readonly isCount: boolean },
    ): Promise<boolean> {
      if (journal === undefined) return false;
      let { decided } = await book.read();
      const { tools } = params;
      if (!Array.isArray(tools) || tools.length === 0) return false;
      const mayOffer = !tools.some(hasOwnName) && wire.mayOffer(params);
      if (decided === undefined && isWanted && !isCount) {
        const isFirst = !list.some((_, at) => wire.answerAt(list, at) > 0);
        decided = isFirst && mayOffer;
        await book.decide(decided);
      }
      return decided === true && mayOffer;
    },
    /** A request with our tools behind those of the client. */
    offering: (params: WireObject): WireObject => ({
      ...params,
      tools: [...(params["tools"] as unknown[]), ...definitions],
    }),
    /** Notes messages that are ours, and stand in no body of the client. */
    note: book.note,
    isOwn: book.isOwn,
    async run({ id, name, input }: OwnCall): Promise<OwnResult> {
      const text =
        name === "recall"
          ? await recall.execute(input as RecallInput)
          : await search_archive.execute(input as SearchInput);
      return { id, text };
    },
    /** Keeps an answer to this list. Rejects where it cannot be stored. */
    async keep(
      { visible, rounds, before, hidden: { said: calls, results } }: MadeAnswer,
      list: readonly WireObject[],
    ): Promise<void> {
      const spoken = wire.spoken(visible);
      const answered = keyOf(spoken, list.at(-1));
      const hidden = calls.length > 0 && { hidden: { calls, results } };
      await book.add({ answered, rounds, before, whole: spoken.extent, ...hidden });
    },
  };
}

/** The facts of one conversation, in memory and in its journal. */
function createBook(journal: ArchiveJournal | undefined) {
  const known = new Map<string, Answered>();
  const ours = new WeakSet<object>();
  let decided: boolean | undefined;
  let loading: Promise<void> | undefined;
  const note = (messages: readonly WireObject[]): void => {
    for (const message of messages) ours.add(message);
  };
  const take = (entry: Answered): void => {
    known.set(entry.answered, entry);
    for (const { said, results } of entry.rounds) note([...said, ...results]);
    note(entry.hidden?.results ?? []);
  };
  const load = async (): Promise<void> => {
    for (const entry of (await journal?.read()) ?? []) {
      if (isAnswered(entry)) take(entry);
      else if (isOffer(entry)) decided = entry.recallTools;
    }
  };
  return {
    /** The answers by their keys, and whether the conversation has the tools, where that is decided. */
    async read() {
      loading ??= load();
      await loading.catch((error: unknown) => {
        loading = undefined;
        throw error;
      });
      return { known, decided };
    },
    async decide(isOffered: boolean): Promise<void> {
      await journal?.append({ recallTools: isOffered } satisfies OfferEntry);
      decided = isOffered;
    },
    async add(entry: Answered): Promise<void> {
      take(entry);
      await journal?.append(entry);
    },
    note,
    isOwn: (message: unknown) => isWireObject(message) && ours.has(message),
  };
}

/** Entries of a journal that only this room understands. */
export function isRecallEntry(entry: unknown): boolean {
  return isAnswered(entry) || isOffer(entry);
}

function isAnswered(entry: unknown): entry is Answered {
  return isWireObject(entry) && typeof entry["answered"] === "string" && "rounds" in entry;
}

function isOffer(entry: unknown): entry is OfferEntry {
  return isWireObject(entry) && typeof entry["recallTools"] === "boolean";
}

function hasOwnName(tool: unknown): boolean {
  const { name, function: called } = fieldsOf(tool);
  return isOwnTool(name ?? fieldsOf(called)["name"]);
}

/** Known by its calls, which no other answer has, or by its words and what they answer. */
function keyOf({ text, calls }: Spoken, before: unknown): string {
  const said = text.replaceAll(/\s+/g, "");
  const where = calls.length > 0 ? "" : digestOf(before);
  return sha256Hex(digestOf({ said, calls }) + where);
}

function restoredList(
  list: readonly WireObject[],
  wire: RecallWire,
  known: ReadonlyMap<string, Answered>,
): readonly WireObject[] {
  const made: WireObject[] = [];
  let isSame = true;
  let beside: readonly WireObject[] | undefined;
  for (let at = 0; at < list.length;) {
    const count = wire.answerAt(list, at);
    const given = list.slice(at, at + Math.max(1, count));
    const answered = count === 0 ? undefined : known.get(keyOf(wire.spoken(given), list[at - 1]));
    const restored = answered && wire.restored(given, answered);
    const { messages, next } = beside === undefined ? NOTHING : wire.beside(beside, given[0]);
    if (beside !== undefined && count === 0) made.push(...messages, ...(next ? [next] : []));
    else made.push(...messages, ...(restored ?? given));
    isSame &&= restored === undefined;
    beside = restored && answered?.hidden?.results;
    at += given.length;
  }
  if (beside !== undefined) made.push(...wire.beside(beside, undefined).messages);
  return isSame ? list : made;
}

const NOTHING = { messages: [], next: undefined } as const;
