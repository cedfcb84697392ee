import type { Message, Usage } from "../core/message/index.ts";
import { messageText } from "../core/message/message.ts";
import { plainMessage } from "../core/message/original.ts";
import { modelWindow } from "../core/overflow/budget.ts";
import { contextBudget } from "../core/overflow/index.ts";
import { clipLine } from "../core/text/clip.ts";
import { toJson } from "../core/text/json.ts";
import { estimator } from "../core/tokens/estimator.ts";
import { modelFamily } from "../core/tokens/family.ts";
import { createMessageMeter } from "../core/tokens/meter.ts";
import type { ConversationRow } from "./data.ts";
import type { Originals } from "./originals.ts";
import { type Page, pageOf, type PageSource } from "./page-data.ts";
import type { Window } from "./views.ts";

/** A request as it goes to the model. */
export interface LiveRequest {
  /** The conversation that it belongs to. */
  readonly id: string;
  /** The conversation that this one was begun for. */
  readonly parent?: string;
  /** @default the first words of the person */
  readonly title?: string;
  /** The agent's name, for people. */
  readonly agent?: string;
  readonly model?: string;
  /** The model's window in tokens. @default by the model's name */
  readonly window?: number | undefined;
  /** The room kept free for the answer. */
  readonly reserved?: number;
  /** All of it, edits included. */
  readonly messages: readonly Message[];
  /** The system prompt, where it is sent beside the messages. */
  readonly instructions?: string;
  /** Tool schemas; counted as JSON. */
  readonly tools?: unknown;
  /** Whether Longhaul edited it; an edit that it did not make is told as the agent's. */
  readonly isEdited?: boolean;
}

/** Conversations that are kept; the one unused for longest goes. */
const MOST_CONVERSATIONS = 32;
/** Windows of each, the newest. */
const MOST_WINDOWS = 50;

interface Followed {
  readonly request: LiveRequest;
  readonly windows: readonly Window[];
  /** Answered requests: all but the newest. */
  readonly steps: number;
  readonly updatedAt: number;
  /** Reported for a request before its answer is known. */
  readonly usage?: Usage;
  page?: Page;
}

/** Nothing is followed yet; all of it stays in memory. */
export function createLive(originals?: Originals, now: () => number = Date.now) {
  const all = new Map<string, Followed>();
  const listeners = new Set<(id: string) => void>();
  const tell = (id: string): void => {
    for (const heard of listeners) heard(id);
  };
  const source: PageSource = {
    originals,
    conversations: () => [...all.values()].toReversed().map(rowOf),
    page(id) {
      const one = all.get(id);
      if (one === undefined) return undefined;
      one.page ??= livePageOf(one);
      return one.page;
    },
    watch(heard) {
      listeners.add(heard);
      return () => void listeners.delete(heard);
    },
  };
  return {
    /** Takes in the next request of a conversation. */
    note(request: LiveRequest): void {
      const next = followed(all.get(request.id), request, now());
      all.delete(request.id);
      all.set(request.id, next);
      const [oldest] = all.keys();
      if (all.size > MOST_CONVERSATIONS && oldest !== undefined) all.delete(oldest);
      tell(request.id);
    },
    /** Takes in the provider's report for the newest request of a conversation. */
    learn(id: string, usage: Usage): void {
      const known = all.get(id);
      if (known !== undefined) all.set(id, { ...known, usage });
    },
    source,
  };
}

/** A list that goes on from the one before is the same window; any other one was edited. */
function followed(known: Followed | undefined, request: LiveRequest, updatedAt: number): Followed {
  if (known === undefined) {
    return { request, windows: [{ messages: request.messages }], steps: 0, updatedAt };
  }
  const { windows, usage } = known;
  const steps = known.steps + 1;
  const { messages: last, ...before } = windows.at(-1) ?? { messages: [] };
  const common = commonLength(last, request.messages);
  const since = request.messages.slice(common).map((message, at) => {
    const isAnswer = at === 0 && common === last.length && message.role === "assistant";
    return isAnswer && usage !== undefined ? { ...message, usage } : message;
  });
  const messages = [...last.slice(0, common), ...since];
  if (common === last.length) {
    const same = [...windows.slice(0, -1), { ...before, messages }];
    return { request, windows: same, steps, updatedAt };
  }
  const by = request.isEdited === true ? "longhaul" : "agent";
  const next = [...windows, { messages, made: { by } as const }];
  return { request, windows: next.slice(-MOST_WINDOWS), steps, updatedAt };
}

type Messages = readonly Message[];

function commonLength(one: Messages, other: Messages): number {
  const end = Math.min(one.length, other.length);
  for (let at = 0; at < end; at += 1) {
    const [message, before] = [one[at] as Message, other[at] as Message];
    if (message !== before && textOf(message) !== textOf(before)) return at;
  }
  return end;
}

const TEXTS = new WeakMap<Message, string>();

/** Usage and time are no part of what is sent. */
function textOf(message: Message): string {
  const { usage: _, time: __, ...said } = message;
  const text = TEXTS.get(message) ?? toJson(plainMessage(said));
  TEXTS.set(message, text);
  return text;
}

const meter = createMessageMeter(estimator);

function rowOf({ request, windows, steps, updatedAt }: Followed): ConversationRow {
  const { id, parent, model } = request;
  const { messages = [] } = windows.at(-1) ?? {};
  const { tokens, budget } = sizeOf(request, messages);
  return {
    id,
    title: titleOf(request),
    model,
    parent,
    tokens: Math.round(tokens),
    usable: budget.usable,
    steps,
    edits: windows.length - 1,
    updatedAt,
  };
}

function titleOf({ title, messages }: LiveRequest): string {
  if (title !== undefined) return title;
  const first = messages.find(({ role, kind }) => role === "user" && kind === undefined);
  return first === undefined ? "" : clipLine(messageText(first));
}

function besideOf({ instructions = "", tools }: LiveRequest) {
  return { instructions, schemas: tools === undefined ? "" : toJson(tools) };
}

function sizeOf(request: LiveRequest, list: Messages) {
  const { model = "", window, reserved } = request;
  const factor = modelFamily(model)?.factor ?? 1;
  const { instructions, schemas } = besideOf(request);
  const beside = estimator.count(instructions) + estimator.count(schemas);
  const budget = contextBudget({ model, window, reserved });
  return { tokens: (beside + meter.total(list)) * factor, budget };
}

function livePageOf({ request, windows, updatedAt }: Followed): Page {
  const { agent = "live", model, window } = request;
  const { tokens, budget } = sizeOf(request, windows.at(-1)?.messages ?? []);
  return pageOf({
    about: {
      title: titleOf(request),
      agent,
      model,
      updatedAt,
      window: budget.window,
      usable: budget.usable,
      isAssumed: window === undefined && modelWindow(model ?? "") === undefined,
      tokens: Math.round(tokens),
      isOver: tokens >= budget.usable,
      source: "estimated",
      warnings: [],
      isLive: true,
    },
    windows,
    ...besideOf(request),
    size: { tokens, outside: 0 },
  });
}
