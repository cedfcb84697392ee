import { resolve } from "node:path";
import { conversationFolder } from "../archive/conversation.ts";
import { directoryArchive } from "../archive/directory.ts";
import { sha256Hex } from "../archive/digest.ts";
import { memoryArchive } from "../archive/memory.ts";
import type { Archive, ArchiveJournal } from "../archive/archive.ts";
import type { ContextOptions } from "../context/options.ts";
import { modelWindow } from "../core/overflow/budget.ts";
import type { WireObject } from "../dialects/wire.ts";
import { createRecent, digestOf, isSystem } from "../hooks/conversations.ts";
import { createHook, type Hook } from "../hooks/hook.ts";
import { createArrivals, isArrivalEntry } from "./arrivals.ts";
import { DOORS, type Door, type DoorRequest, modelOf } from "./doors.ts";
import { scopeOf } from "./identity.ts";
import type { RawHeaders } from "./headers.ts";
import type { Metrics } from "./metrics.ts";
import { type GatewaySettings, isLoopback } from "./options.ts";
import type { ProtocolName } from "./routes.ts";

/** A request of a conversation, as it came. */
export interface Call {
  readonly protocol: ProtocolName;
  readonly headers: RawHeaders;
  readonly params: WireObject;
  /** Where it goes. */
  readonly url: URL;
}

/** Conversations that began alike under one name: what comes back to them has one journal. */
export interface Group {
  /** A digest; says nothing of what is in it. */
  readonly id: string;
  readonly door: Door;
  /** The conversation of a request, and the request in it. */
  open(params: WireObject): DoorRequest;
  /** What the edits that stand make of a request; nothing is written. */
  view(params: WireObject): Promise<WireObject>;
  close(): void;
}

export interface Groups {
  /** The group of a request; `undefined` for one that is nothing to look at. */
  of(call: Call): Group | undefined;
  close(): Promise<void>;
}

/** So many groups are held in memory; one that comes back later goes on from its journal. */
const MOST_GROUPS = 64;

interface GroupParts {
  readonly settings: GatewaySettings;
  readonly metrics: Metrics;
  readonly archive: Archive;
  /** Limits that refusals named, by model. */
  readonly limits: Map<string, number>;
}

export function createGroups(settings: GatewaySettings, metrics: Metrics): Groups {
  const archive = settings.audit ? memoryArchive() : directoryArchive(settings.archive);
  const parts: GroupParts = { settings, metrics, archive, limits: new Map() };
  const groups = new Map<string, Group & { readonly model: string }>();
  const drop = (id: string): void => {
    groups.get(id)?.close();
    groups.delete(id);
  };
  const use = createRecent(MOST_GROUPS, drop);
  return {
    of(call) {
      const door = DOORS[call.protocol];
      const messages = door.messagesOf(call.params);
      if (messages === undefined || messages.length === 0) return undefined;
      const id = idOf(call, messages);
      const model = modelOf(call.params);
      // Another model has another window; its edits are found in the journal.
      if (groups.get(id)?.model !== model) drop(id);
      const group = groups.get(id) ?? { ...createGroup(id, call, { ...parts, door }), model };
      groups.set(id, group);
      use(id);
      return group;
    },
    async close() {
      for (const group of groups.values()) group.close();
      groups.clear();
    },
  };
}

/** By what headers and fields say, and by its first message: one name may be that of several. */
function idOf({ protocol, headers, params, url }: Call, messages: readonly unknown[]): string {
  const scope = scopeOf({ headers, params, to: `${protocol} ${url.origin}${url.pathname}` });
  const start = Math.max(
    0,
    messages.findIndex((message) => !isSystem(message)),
  );
  return `gateway-${sha256Hex(scope + digestOf(messages[start])).slice(0, 32)}`;
}

function createGroup(
  id: string,
  { params }: Call,
  { door, ...parts }: GroupParts & { readonly door: Door },
): Group {
  const { settings, archive } = parts;
  const own = settings.audit ? undefined : archive.conversation?.(id);
  const shared = withoutArrivals(archive);
  const place: ContextOptions = settings.audit
    ? {}
    : { archive: shared, conversation: id, constraints: whereOriginalsAre(id, settings) };
  const hook = openHook(params, place, { ...parts, door });
  const serve = door.serve(hook, createArrivals(own?.journal));
  return {
    id,
    door,
    open: (given) => serve(given),
    view: (given) =>
      door.view(given, {
        options: {
          traits: door.traits,
          window: Number.MAX_SAFE_INTEGER,
          ...place,
          archive: readOnly(shared),
        },
        arrivals: createArrivals(own?.journal, { isKept: false }),
        truncation: hook.context.truncation,
      }),
    close: () => void hook.context.close(),
  };
}

/** The agent's own tools open files, where it runs on this machine. */
function whereOriginalsAre(id: string, { host, archive }: GatewaySettings): readonly string[] {
  if (!isLoopback(host)) return [];
  const folder = conversationFolder(resolve(archive), id);
  return [
    `What has left this context is kept in files whose names begin with its handle (out_… for an output, head_… for messages), in the folder ${folder} . When you need something of it, search that folder or read a part of such a file.`,
  ];
}

function openHook(
  params: WireObject,
  place: ContextOptions,
  { settings, metrics, limits, archive, door }: GroupParts & { readonly door: Door },
): Hook<WireObject> {
  const model = modelOf(params);
  const window = settings.window ?? limits.get(model) ?? modelWindow(model);
  const { traits } = door;
  const options = { archive, ...place, model, ...(window !== undefined && { window }) };
  const sdk = { traits, summarizerOf: () => undefined };
  const hook = createHook<WireObject>({ ...options, maxConversations: 32 }, sdk);
  const { context } = hook;
  context.on("failed", ({ code }) => {
    if (code === "managed-elsewhere") return;
    settings.log({ level: "warn", event: "failed", code });
  });
  context.on("truncated", () => metrics.count("truncated"));
  context.on("edited", () => metrics.count("planned_edits"));
  let first: number | undefined;
  context.on("prepared", (report) => {
    first ??= report.window;
    if (report.window < first) limits.set(model, report.window);
  });
  return hook;
}

/** One journal holds the edits and the arrivals of a conversation; a context knows its edits only. */
function withoutArrivals(archive: Archive): Archive {
  return withJournals(archive, (journal) => ({
    ...journal,
    read: async () => (await journal.read()).filter((entry) => !isArrivalEntry(entry)),
  }));
}

/** An archive whose journals can only be read. */
function readOnly(archive: Archive): Archive {
  return withJournals(archive, (journal) => ({ ...journal, append: () => Promise.resolve() }));
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
