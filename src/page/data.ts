import type { Advice } from "../core/contents/advice.ts";
import type { Ledger } from "../core/ledger/index.ts";
import type { MessageKind, Role, Usage } from "../core/message/index.ts";

/*
 * All that the page shows, as plain JSON: it goes into an export, or over the wire. Token figures are
 * estimates; times `scale` they are the provider's, and those of the newest view add up with `outside`
 * to what `inspect` says.
 */

/** One session: everything but the texts, which are loaded when somebody looks at them. */
export interface PageData {
  readonly version: 1;
  readonly about: About;
  /** The provider's tokens for one of the estimate. */
  readonly scale: number;
  /** The provider's tokens that no message holds: system prompt and tools of the agent. */
  readonly outside: number;
  /** The parts of the window, from the bottom of the chart up. */
  readonly areas: readonly Area[];
  /** Estimated tokens of the system prompt, where the session holds it beside the messages. */
  readonly system: number;
  readonly schemas: number;
  /** Every message that ever stood in the window, in the order of its first appearance. */
  readonly messages: readonly PageMessage[];
  /** The window between two edits; the last one is that of now. */
  readonly views: readonly PageView[];
  /** Every request, and at the end what the next one would hold. */
  readonly steps: readonly PageStep[];
  /** The edit that each view but the first began with, and outputs cut on arrival; by step. */
  readonly edits: readonly PageEdit[];
  readonly advice: readonly Advice[];
  readonly files: Ledger["files"];
  readonly commands: readonly Omit<Ledger["commands"][number], "output">[];
  readonly instructions: Ledger["instructions"];
  readonly spent?: SpentRow;
  /** The same session as Longhaul would have kept it, where that was worked out. */
  readonly replays?: readonly Replay[];
  /** Outputs that the model got cut or as placeholders, whose originals an archive may have. */
  readonly originals: readonly OriginalRow[];
  /** The number of messages in one piece of texts. */
  readonly perPiece: number;
}

export interface About {
  readonly title: string;
  /** The agent, as people call it. */
  readonly agent: string;
  readonly model?: string;
  readonly cwd?: string;
  readonly startedAt?: number;
  readonly updatedAt?: number;
  readonly window: number;
  readonly usable: number;
  /** Nobody said the window, so the default is taken. */
  readonly isAssumed: boolean;
  /** The size of the next request, in the provider's tokens. */
  readonly tokens: number;
  readonly isOver: boolean;
  /** The origin of that number, for people. */
  readonly source: string;
  readonly warnings: readonly string[];
  readonly isLive?: true;
}

export interface Area {
  readonly id: string;
  readonly label: string;
}

export interface PageMessage {
  readonly role: Role;
  readonly kind?: MessageKind;
  /** One line that says what it is. */
  readonly subject: string;
  /** Tools that it calls, or that it answers for. */
  readonly tools?: readonly string[];
  /** Pairs: the number of an area, and its estimated tokens. */
  readonly shares: readonly number[];
  readonly time?: number;
  readonly failed?: true;
  readonly usage?: Usage;
  /** US dollars of its request. */
  readonly cost?: number;
  /** The message that it stands for since an edit. */
  readonly instead?: number;
}

export interface PageView {
  /** Pairs: its messages from one number up to another, which is exclusive. */
  readonly ranges: readonly number[];
  /** The number of them that stood there when it began. */
  readonly start: number;
}

export interface PageStep {
  readonly view: number;
  /** The number of messages of the view that the model saw. */
  readonly length: number;
  /** Its answer; absent for the next request. */
  readonly answer?: number;
  /** Tokens of the prompt, as the provider reported them. */
  readonly reported?: number;
}

export interface PageEdit {
  readonly type: "truncate" | "prune" | "compact";
  readonly by: "agent" | "longhaul";
  /** The first request after it. */
  readonly step: number;
  readonly view?: number;
  /** In the provider's tokens; 0 where it cannot be known. */
  readonly saved: number;
  /** The number of messages that left the window. */
  readonly dropped: number;
  /** Pairs: a message, and what stands for it. */
  readonly replaced: readonly number[];
  readonly summary?: { readonly message: number; readonly lines: readonly SummaryLine[] };
  /** Tokens of the models that wrote it. */
  readonly usage?: ModelUse;
  readonly bill?: EditBill;
}

interface ModelUse {
  readonly input: number;
  readonly cached: number;
  readonly output: number;
}

/** The cost of an edit, and what it brought, in the provider's tokens. */
export interface EditBill {
  /** Behind the first change of the window: what the cache no longer gave, and got anew. */
  readonly rewritten: number;
  /** Requests that were smaller by what was saved: those up to the next compaction. */
  readonly requests: number;
  /** Tokens of the model that wrote the summary. */
  readonly model: ModelUse;
  /** Nobody reported that: it is what the model had to read, and wrote. */
  readonly isEstimated?: true;
  /** US dollars, where the model has a price: what the cache gave is priced as read from it. */
  readonly spent?: number;
  readonly spared?: number;
}

/** An original, and the message that names it. */
export interface OriginalRow {
  readonly handle: string;
  readonly message: number;
}

/** The messages of a conversation that hold a text, or whose originals do. */
export interface Found {
  readonly id: string;
  readonly hits: readonly number[];
}

export interface SummaryLine {
  readonly text: string;
  /** `record`: taken from the messages by a program. */
  readonly by: "model" | "record" | "frame";
  /** The message that a recorded fact is from. */
  readonly from?: number;
}

/** All requests of the session together, those of sub-agents included. */
export interface SpentRow {
  readonly requests: number;
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly output: number;
  readonly cost?: number;
  readonly unpricedModels: readonly string[];
}

export type PageBody = readonly PagePart[];

export interface PagePart {
  readonly type: "text" | "reasoning" | "call" | "result" | "file" | "other";
  readonly text: string;
  readonly tool?: string;
  readonly failed?: true;
  readonly exitCode?: number;
  /** The handle or path of the whole of it, where this is not all. */
  readonly original?: string;
  /** It is the placeholder of an output. */
  readonly pruned?: true;
}

/** A search in the texts of a message, in any case; `wanted` is in lower case. */
export function holds(body: PageBody, wanted: string): boolean {
  return body.some(({ text, tool = "" }) => {
    return text.toLowerCase().includes(wanted) || tool.toLowerCase().includes(wanted);
  });
}

/** A line in the list of conversations that are watched. */
export interface ConversationRow {
  readonly id: string;
  readonly title: string;
  readonly model?: string;
  readonly parent?: string;
  readonly tokens: number;
  readonly usable: number;
  readonly steps: number;
  readonly edits: number;
  readonly updatedAt: number;
}

export interface Replay {
  readonly window: number;
  readonly usable: number;
  /** By request of the session, in the provider's tokens. */
  readonly sizes: readonly number[];
  readonly edits: number;
  /** Its bill; beside it that of every request as it grew, and what the agent was reported to send. */
  readonly bills: readonly Bill[];
  /** The cache rules and prices that the bills follow. */
  readonly note: string;
}

/** The bill of all requests of a session, answers left out. */
export interface Bill {
  readonly name: "longhaul" | "nothing" | "reported";
  readonly tokens: number;
  /** Read from the cache. */
  readonly cached: number;
  /** Requests that no provider would have answered. */
  readonly over: number;
  readonly cost?: number;
}
