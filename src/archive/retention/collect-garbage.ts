import { uptime as systemUptime } from "node:os";
import { basename, resolve } from "node:path";
import { ContextError } from "../../core/error.ts";
import { attempt, errorCode } from "../archive-error.ts";
import { chooseGarbage, type StoredBytes } from "./choose-garbage.ts";
import {
  conversationFolders,
  entriesOf,
  originalFiles,
  type OriginalFile,
} from "../files/list-files.ts";
import { nextStamp, readStamp, writeStamp } from "./gc-clock.ts";
import { whileLocked } from "./gc-lock.ts";
import { machineRun } from "../files/holder.ts";
import { type Linked, linkEqualFiles } from "./link-equal.ts";
import { isLive, type LiveOptions, removeDeadMarks } from "./live.ts";
import { type Removed, removeFiles, tidyFolder } from "./remove-files.ts";

/** What an archive keeps. */
export interface RetentionOptions {
  /** What was not stored or read for longer is removed. @default 604800000 (7 days) */
  readonly maxAgeMs?: number;
  /** When the archive is larger, what was used longest ago is removed. @default 2000000000 (2 GB) */
  readonly maxBytes?: number;
}

export interface GarbageOptions extends RetentionOptions {
  /** Only tell what would be done. @default false */
  readonly dryRun?: boolean;
  /** The time in ms since the epoch. @default the system's clock */
  readonly now?: () => number;
  /** How long the machine has been running, in ms. @default the system's answer */
  readonly uptime?: () => number;
}

/** What a collection did, or would do. */
export interface GarbageReport {
  readonly dryRun: boolean;
  /** `false` when another process was collecting, so that nothing was done. */
  readonly ran: boolean;
  readonly removed: { readonly originals: number; readonly bytes: number };
  /** Equal files that became one; the bytes that this freed. */
  readonly linked: Linked;
  readonly kept: { readonly originals: number; readonly bytes: number };
  /** The conversations that are open or were used within the last hour; "" is the default one. */
  readonly live: readonly string[];
  /** Why less was done than asked for. */
  readonly warnings: readonly string[];
}

const DEFAULTS = { maxAgeMs: 7 * 24 * 60 * 60 * 1000, maxBytes: 2_000_000_000 } as const;

/**
 * Removes what is too old or too much from the archive in `folder`, all conversations together, and
 * makes equal files one. What a live conversation holds stays, whatever its age and size; so does
 * what was used within the last hour. Several processes may call it: one collects, for the others
 * `ran` is `false`. Rejects with `archive-failed`, and with `invalid-options` for a negative limit.
 */
export async function collectGarbage(
  folder: string,
  options: GarbageOptions = {},
): Promise<GarbageReport> {
  const { maxAgeMs, maxBytes } = checkedLimits(options);
  const root = resolve(folder);
  const isDryRun = options.dryRun === true;
  return attempt("collect garbage in", root, async () => {
    const work = (): Promise<GarbageReport> => collect(root, { ...options, maxAgeMs, maxBytes });
    if (isDryRun || (await entriesOf(root)).length === 0) return work();
    return (await whileLocked(root, work)) ?? NOTHING_DONE;
  });
}

function checkedLimits({ maxAgeMs, maxBytes }: RetentionOptions): Required<RetentionOptions> {
  const limits = {
    maxAgeMs: maxAgeMs ?? DEFAULTS.maxAgeMs,
    maxBytes: maxBytes ?? DEFAULTS.maxBytes,
  };
  for (const [name, value] of Object.entries(limits)) {
    if (value >= 0) continue;
    throw new ContextError("invalid-options", `${name} is ${value}; give a number from 0 on.`, {
      details: { name, value },
    });
  }
  return limits;
}

const NOTHING_DONE: GarbageReport = {
  dryRun: false,
  ran: false,
  removed: { originals: 0, bytes: 0 },
  linked: { files: 0, bytes: 0 },
  kept: { originals: 0, bytes: 0 },
  live: [],
  warnings: ["Another process is collecting in this archive right now; nothing was done."],
};

type Rule = GarbageOptions & Required<RetentionOptions>;

async function collect(root: string, rule: Rule): Promise<GarbageReport> {
  const isDryRun = rule.dryRun === true;
  const clock = {
    now: (rule.now ?? Date.now)(),
    uptime: rule.uptime?.() ?? systemUptime() * 1000,
    run: machineRun(),
  };
  const stamp = nextStamp(await readStamp(root), clock, rule.maxAgeMs);
  const times = { now: clock.now, isClockTrusted: clock.now >= stamp.untrustedUntil };
  const { conversations, unread } = await readConversations(root, times);
  const stored = storedBytes(conversations);
  const chosen = chooseGarbage(stored, { ...rule, ...times });
  // Their marks would be asked about again and again otherwise.
  for (const { folder } of isDryRun ? [] : conversations) {
    await removeDeadMarks(folder, times).catch(() => false);
  }
  const { gone, failures } = isDryRun ? dryRemoval(chosen) : await removeFiles(chosen, times);
  const left = conversations.flatMap(({ files }) => files.filter(({ path }) => !gone.has(path)));
  const linked = await linkEqualFiles(left, { now: clock.now, isDryRun });
  if (!isDryRun) {
    for (const { folder } of conversations) {
      const { maxAgeMs } = rule;
      await tidyFolder(folder, root, { ...times, maxAgeMs }).catch((error: unknown) =>
        failures.push(codeOf(error)),
      );
    }
    if (stored.length > 0) await writeStamp(root, stamp).catch(unlessFull);
  }
  const removedBytes = sum(stored.filter(({ paths }) => paths.every((path) => gone.has(path))));
  const keptBytes = sum(stored) - removedBytes - linked.bytes;
  return {
    dryRun: isDryRun,
    ran: true,
    removed: { originals: gone.size, bytes: removedBytes },
    linked,
    kept: { originals: left.length, bytes: keptBytes },
    live: conversations.filter(({ isLive: is }) => is).map(({ folder }) => nameOf(folder, root)),
    warnings: warningsFor({ ...times, keptBytes, maxBytes: rule.maxBytes, unread, failures }),
  };
}

function dryRemoval(chosen: readonly StoredBytes[]): Removed {
  return { gone: new Set(chosen.flatMap(({ paths }) => paths)), failures: [] };
}

/** A collection has done its work without a stamp as well. */
function unlessFull(error: unknown): void {
  if (!["ENOSPC", "EDQUOT"].includes(codeOf(error))) throw error;
}

interface Conversation {
  readonly folder: string;
  readonly files: readonly OriginalFile[];
  readonly isLive: boolean;
}

/** What cannot be read is somebody else's, and no reason to leave the rest alone. */
interface Conversations {
  readonly conversations: readonly Conversation[];
  /** The names of those that could not be read. */
  readonly unread: readonly string[];
}

async function readConversations(root: string, times: LiveOptions): Promise<Conversations> {
  const conversations: Conversation[] = [];
  const unread: string[] = [];
  for (const folder of await conversationFolders(root)) {
    try {
      const files = await originalFiles(folder);
      conversations.push({ folder, files, isLive: await isLive(folder, times) });
    } catch (error) {
      if (folder === root) throw error;
      unread.push(nameOf(folder, root));
    }
  }
  return { conversations, unread };
}

/** One entry for the bytes on the disk, with all names that they have. */
function storedBytes(conversations: readonly Conversation[]): readonly StoredBytes[] {
  const byInode = new Map<
    string,
    { -readonly [Key in keyof StoredBytes]: StoredBytes[Key] } & { paths: string[] }
  >();
  for (const { files, isLive: isHeld } of conversations) {
    for (const { path, stats } of files) {
      const key = `${stats.dev}:${stats.ino}`;
      const usedAt = Math.max(stats.mtimeMs, stats.atimeMs);
      const known = byInode.get(key);
      if (known === undefined) {
        byInode.set(key, { paths: [path], bytes: stats.size, usedAt, isLive: isHeld });
      } else {
        known.paths.push(path);
        known.isLive ||= isHeld;
      }
    }
  }
  return [...byInode.values()];
}

function sum(list: readonly StoredBytes[]): number {
  return list.reduce((total, { bytes }) => total + bytes, 0);
}

function nameOf(folder: string, root: string): string {
  return folder === root ? "" : basename(folder);
}

function codeOf(error: unknown): string {
  return errorCode(error) ?? "unknown";
}

interface WarningFacts {
  readonly isClockTrusted: boolean;
  readonly keptBytes: number;
  readonly maxBytes: number;
  readonly unread: readonly string[];
  readonly failures: readonly string[];
}

function warningsFor(facts: WarningFacts): readonly string[] {
  const { unread, failures } = facts;
  const warnings: string[] = [];
  if (!facts.isClockTrusted) {
    warnings.push("The clock was set forward, so nothing was removed for its age this time.");
  }
  if (unread.length > 0) {
    warnings.push(
      `${unread.length} ${unread.length === 1 ? "conversation" : "conversations"} could not be read and stayed as they are, e.g. ${unread[0]}. Check who owns their folders.`,
    );
  }
  if (failures.length > 0) {
    warnings.push(
      `Not everything could be removed (${[...new Set(failures)].join(", ")}). Check who owns the archive and whether it can be written.`,
    );
  }
  if (facts.keptBytes > facts.maxBytes) {
    warnings.push(
      "The archive is still larger than its limit: the rest is held by live conversations or was used within the last hour.",
    );
  }
  return warnings;
}
