import { resolve } from "node:path";
import { conversationFolder } from "../archive/conversation.ts";
import type { Archive, ArchiveJournal } from "../archive/archive.ts";
import type { ContextOptions } from "../context/options.ts";
import { modelWindow } from "../core/overflow/budget.ts";
import type { WireObject } from "../dialects/wire.ts";
import { createRecent, digestOf, isSystem } from "../hooks/conversations.ts";
import { createHook, type Hook } from "../hooks/hook.ts";
import { createArrivals, isArrivalEntry } from "./arrivals.ts";
import { PROTOCOLS, type Protocol, type OpenedRequest, modelOf } from "./protocols.ts";
import { digestTo, scopeOf } from "./identity.ts";
import type { RawHeaders } from "./headers.ts";
import type { Metrics } from "./metrics.ts";
import type { GatewaySettings } from "./options.ts";
import { createRecalls, isRecallEntry } from "./recall/recalls.ts";
import type { ProtocolName } from "./routes.ts";

/** A request of a conversation, as it came. */
export interface Call {
  readonly protocol: ProtocolName;
  readonly headers: RawHeaders;
  readonly params: WireObject;
  readonly url: URL;
}

/** Conversations that began alike under one name: what comes back to them has one journal. */
export interface Group {
  /** A digest; says nothing of what is in it. */
  readonly id: string;
  readonly protocol: Protocol;
  readonly recalls: ReturnType<typeof createRecalls>;
  open(params: WireObject): OpenedRequest;
  /** A request with the edits that stand; nothing is written. */
  view(params: WireObject): Promise<WireObject>;
  /** Another process may have added to its journal, and its decisions are found there. */
  isStale(): Promise<boolean>;
  /** The recorded facts of all but the newest message. */
  summary(params: WireObject): Promise<string | undefined>;
  close(): void;
}

export type Groups = ReturnType<typeof createGroups>;

/** Groups held in memory; one that comes back later goes on from its journal. */
const MOST_GROUPS = 64;

interface GroupParts {
  readonly settings: GatewaySettings;
  readonly metrics: Metrics;
  readonly archive: Archive;
  /** Limits that refusals named, by model. */
  readonly limits: Map<string, number>;
}

export function createGroups(settings: GatewaySettings, metrics: Metrics, archive: Archive) {
  const parts: GroupParts = { settings, metrics, archive, limits: new Map() };
  const groups = new Map<string, Group & { readonly model: string }>();
  const drop = (id: string): void => {
    groups.get(id)?.close();
    groups.delete(id);
  };
  const use = createRecent(MOST_GROUPS, drop);
  return {
    /** The group of a request; `undefined` for one that is nothing to look at. */
    async of(call: Call): Promise<Group | undefined> {
      const protocol = PROTOCOLS[call.protocol];
      const messages = protocol.messagesOf(call.params);
      if (messages === undefined || messages.length === 0) return undefined;
      const id = idOf(call, messages);
      const model = modelOf(call.params);
      const known = groups.get(id);
      // Another model has another window; its edits are found in the journal.
      if (known !== undefined && known.model !== model) drop(id);
      // Requests of now may still be in the old one.
      else if (known !== undefined && (await known.isStale()) && groups.get(id) === known) {
        groups.delete(id);
      }
      const group = groups.get(id) ?? { ...createGroup(id, call, { ...parts, protocol }), model };
      groups.set(id, group);
      use(id);
      return group;
    },
    close(): void {
      for (const id of groups.keys()) drop(id);
    },
  };
}

/** By what headers and fields say, and by its first message: one name may be that of several. */
function idOf({ protocol, headers, params, url }: Call, messages: readonly unknown[]): string {
  const first = messages.find((message) => !isSystem(message)) ?? messages[0];
  const to = `${protocol} ${url.origin}${url.pathname}`;
  return scopeOf({ headers, params, url }) + digestTo(16, to + digestOf(first));
}

function createGroup(
  id: string,
  { params }: Call,
  { protocol, ...parts }: GroupParts & { readonly protocol: Protocol },
): Group {
  const { settings, metrics } = parts;
  const { archive, isStale } = settings.audit
    ? { archive: parts.archive, isStale: () => Promise.resolve(false) }
    : watchedArchive(parts.archive, id);
  const own = settings.audit ? undefined : archive.conversation?.(id);
  const shared = editsOnly(archive);
  const place: ContextOptions = settings.audit
    ? {}
    : { archive: shared, conversation: id, constraints: whereOriginalsAre(id, settings) };
  const hook = openHook(params, place, { ...parts, archive, protocol, id });
  const { arrive, look } = createArrivals(own?.journal, () => metrics.count("truncated"));
  return {
    id,
    protocol,
    recalls: createRecalls({
      wire: protocol.recall,
      archive: own ?? archive,
      journal: own?.journal,
      isWanted: settings.recall === "tool",
    }),
    isStale,
    open: protocol.serve(hook, arrive),
    view: (given) =>
      protocol.view(given, {
        options: {
          traits: protocol.traits,
          window: Number.MAX_SAFE_INTEGER,
          ...place,
          archive: readOnly(shared),
        },
        arrive: look,
        truncation: hook.context.truncation,
      }),
    summary: (given) =>
      protocol.summary(given, { ...hook.settings, archive: readOnly(shared), recall: false }),
    close: () => void hook.context.close(),
  };
}

/** The agent's own tools open files, where it runs on this machine. */
function whereOriginalsAre(id: string, { recall, archive }: GatewaySettings): readonly string[] {
  if (recall !== "file") return [];
  const folder = conversationFolder(resolve(archive), id);
  return [
    `What has left this context is kept in files whose names begin with its handle (out_… for an output, head_… for messages), in the folder ${folder} . When you need something of it, search that folder or read a part of such a file.`,
  ];
}

function openHook(
  params: WireObject,
  place: ContextOptions,
  { settings, metrics, limits, archive, protocol, id }: GroupParts & Pick<Group, "protocol" | "id">,
): Hook<WireObject> {
  const model = modelOf(params);
  const window = settings.window ?? limits.get(model) ?? modelWindow(model);
  const { traits } = protocol;
  const { plugins } = settings;
  const options = { archive, ...place, plugins, model, window };
  const sdk = { traits, summarizerOf: () => undefined };
  const hook = createHook<WireObject>({ ...options, maxConversations: 32 }, sdk);
  const { context } = hook;
  context.on("failed", ({ code }) => {
    if (code === "managed-elsewhere") return;
    if (code === "archive-failed") metrics.count("failed_open");
    settings.log({ level: "warn", event: "failed", code });
  });
  context.on("edited", ({ plan }) => {
    metrics.count("planned_edits");
    if (plan.action === "compact") metrics.countIn(id, "compactions");
  });
  let first: number | undefined;
  context.on("prepared", (report) => {
    first ??= report.window;
    if (report.window < first) limits.set(model, report.window);
  });
  return hook;
}

/**
 * A context knows its own edits of the journal only, and makes none that is not on disk before it
 * goes out.
 */
function editsOnly(archive: Archive): Archive {
  const isOfContext = (entry: unknown): boolean => !isArrivalEntry(entry) && !isRecallEntry(entry);
  return withJournals(archive, (journal) => ({
    ...journal,
    isRequired: true,
    read: async () => (await journal.read()).filter(isOfContext),
  }));
}

function readOnly(archive: Archive): Archive {
  return withJournals(archive, (journal) => ({
    read: () => journal.read(),
    append: () => Promise.resolve(),
  }));
}

/** An archive with another view of the journal of each conversation. */
function withJournals(
  archive: Archive,
  viewOf: (journal: ArchiveJournal) => ArchiveJournal,
): Archive {
  return {
    ...archive,
    conversation(id) {
      const own = archive.conversation?.(id) ?? archive;
      return own.journal === undefined ? own : { ...own, journal: viewOf(own.journal) };
    },
  };
}

/**
 * Gateways on one store decide once for all of them: a journal of another length than ours has
 * news.
 */
function watchedArchive(archive: Archive, id: string) {
  const own = archive.conversation?.(id).journal;
  // An unreadable journal has nothing new; the next edit says what is wrong.
  const count = async (): Promise<number | undefined> => own?.count?.().catch(() => undefined);
  let known = count();
  const watched = withJournals(archive, (journal) => ({
    ...journal,
    async append(entry) {
      await journal.append(entry);
      known = known.then((before) => (before === undefined ? undefined : before + 1));
    },
  }));
  const isStale = async (): Promise<boolean> => {
    const now = await count();
    return now !== undefined && now !== (await known);
  };
  return { archive: watched, isStale };
}
