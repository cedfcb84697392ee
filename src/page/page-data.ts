import { adviceOn } from "../core/contents/advice.ts";
import {
  type ContentItem,
  messageContents,
  outsideItem,
  type WindowSize,
} from "../core/contents/window-contents.ts";
import { extractLedger, type Ledger } from "../core/ledger/index.ts";
import { type Message, messageText, totalUsage } from "../core/message/message.ts";
import { clipLine } from "../core/text/clip.ts";
import { estimator } from "../core/tokens/estimator.ts";
import { type Areas, areasOf } from "./areas.ts";
import type {
  About,
  ConversationRow,
  PageData,
  PageMessage,
  PageStep,
  Replay,
  SpentRow,
} from "./data.ts";
import { editsOf, truncationsOf } from "./edits.ts";
import type { TokenPrice } from "../simulate/index.ts";
import { type Originals, originalsOf } from "./originals.ts";
import { type Pool, poolOf, type Window } from "./views.ts";

export interface PageInput {
  readonly about: About;
  /** The window just before each edit, oldest first, and the window of now. */
  readonly windows: readonly Window[];
  /** The system prompt, where it is known. */
  readonly instructions?: string;
  /** The schemas of the tools, as JSON. */
  readonly schemas?: string;
  /** Of the window of now, in the provider's tokens. */
  readonly size: WindowSize;
  readonly spent?: SpentRow;
  /** The price of the model's tokens, where that is known. */
  readonly price?: TokenPrice;
  /** US dollars of the request that a message answers. */
  readonly costOf?: (message: Message) => number | undefined;
}

export interface Page {
  readonly data: PageData;
  readonly messages: readonly Message[];
}

/** The conversations of a page on a server. */
export interface PageSource {
  conversations(): readonly ConversationRow[];
  page(id: string): Page | undefined;
  /** The session as Longhaul would have kept it in a window; absent where nobody can work it out. */
  replay?: (id: string, window: number) => Promise<Replay>;
  /** Has the whole of what the model got cut or as placeholders. */
  readonly originals?: Originals;
  /** The page as it goes into a file. @default as it is shown */
  toExport?: (page: Page) => Promise<Page>;
  /** Calls back with the id of a conversation that went on; returns how to stop that. */
  watch?: (heard: (id: string) => void) => () => void;
}

const PER_PIECE = 100;

export function pageOf(input: PageInput): Page {
  const { about, size, instructions = "" } = input;
  const pool = poolOf(input.windows);
  const items = messageContents(pool.messages);
  const areas = areasOf(items.flat());
  const system = estimator.count(instructions);
  const schemas = estimator.count(input.schemas ?? "");
  const scale = scaleOf(pool, items, { size, beside: system + schemas });
  const steps = stepsOf(pool);
  const own = pool.messages.flatMap(({ kind }, number) =>
    pool.instead.has(number) || kind === "summary" ? [] : [number],
  );
  const ledger = ledgerOf(pool, own, about.cwd);
  const said = own
    .flatMap((number) => items[number] ?? [])
    .map((item) => ({ ...item, tokens: item.tokens * scale }));
  const tokens = items.map((each) => each.reduce((total, item) => total + item.tokens, 0));
  const edits = [
    ...editsOf({
      pool,
      steps,
      tokens,
      scale,
      ledger,
      price: input.price,
      beside: size.outside + (system + schemas) * scale,
    }),
    ...truncationsOf({ pool, steps, own }),
  ].toSorted((one, other) => one.step - other.step);
  const data: PageData = {
    version: 1,
    about,
    scale,
    outside: size.outside,
    areas: areas.areas,
    system,
    schemas,
    messages: pool.messages.map((message, number) =>
      rowOf(message, { ...input, pool, number, areas, items: items[number] ?? [] }),
    ),
    views: pool.views.map(({ ranges, start }) => ({ ranges, start })),
    steps,
    edits,
    advice: adviceOn([...outsideItem(size), ...said], about.usable).map((one) => ({
      ...one,
      subject: inFolder(one.subject, about.cwd),
    })),
    files: ledger.files,
    commands: ledger.commands.map(({ output: _, ...command }) => command),
    instructions: ledger.instructions,
    spent: input.spent,
    originals: originalsOf(pool.messages, (number) => pool.instead.has(number)),
    perPiece: PER_PIECE,
  };
  return { data, messages: pool.messages };
}

/** Facts of all that was ever said, by the numbers of the messages. */
function ledgerOf({ messages }: Pool, own: readonly number[], cwd: string | undefined): Ledger {
  const said = own.flatMap((number) => messages[number] ?? []);
  const ledger = extractLedger(said, { ...(cwd !== undefined && { cwd }) });
  const placeOf = (at: number): number => own[at] ?? 0;
  const moved = <Fact extends { readonly at: number }>(facts: readonly Fact[]): Fact[] =>
    facts.map((fact) => ({ ...fact, at: placeOf(fact.at) }));
  return {
    ...ledger,
    files: ledger.files.map((file) => ({ ...file, last: placeOf(file.last) })),
    commands: moved(ledger.commands),
    instructions: moved(ledger.instructions),
    errors: moved(ledger.errors),
    statements: moved(ledger.statements),
  };
}

/** So that the window of now adds up to its size. */
function scaleOf(
  { views }: Pool,
  items: readonly (readonly ContentItem[])[],
  { size, beside }: { readonly size: WindowSize; readonly beside: number },
): number {
  const inside = (views.at(-1)?.list ?? [])
    .flatMap((number) => items[number] ?? [])
    .reduce((total, item) => total + item.tokens, beside);
  return inside > 0 ? (size.tokens - size.outside) / inside : 1;
}

/** A request for every answer that is new in its view, and the one that would be next. */
function stepsOf({ messages, views }: Pool): PageStep[] {
  const steps: PageStep[] = [];
  views.forEach(({ list, start }, view) => {
    list.forEach((number, length) => {
      const message = messages[number];
      if (length < start || message?.role !== "assistant") return;
      const { usage } = message;
      const reported = usage === undefined ? 0 : totalUsage({ ...usage, output: 0 });
      steps.push({ view, length, answer: number, ...(reported > 0 && { reported }) });
    });
  });
  const last = views.length - 1;
  return [...steps, { view: Math.max(0, last), length: views[last]?.list.length ?? 0 }];
}

interface RowParts extends Pick<PageInput, "about" | "costOf"> {
  readonly pool: Pool;
  readonly number: number;
  readonly areas: Areas;
  readonly items: readonly ContentItem[];
}

function rowOf(
  message: Message,
  { pool, number, areas, items, about, costOf }: RowParts,
): PageMessage {
  const { role, kind, time, usage } = message;
  const shares = new Map<number, number>();
  for (const item of items) {
    const area = areas.of(item);
    shares.set(area, (shares.get(area) ?? 0) + item.tokens);
  }
  const tools = [...new Set(items.flatMap(({ tool }) => tool ?? []))];
  return {
    role,
    kind,
    subject: inFolder(subjectOf(message, items), about.cwd),
    tools: tools.length > 0 ? tools : undefined,
    shares: [...shares].flat(),
    time,
    failed: items.some(({ isError }) => isError === true) || undefined,
    usage,
    cost: costOf?.(message),
    instead: pool.instead.get(number),
  };
}

/** Paths below the session's folder need not name it. */
function inFolder(subject: string, cwd: string | undefined): string {
  return !cwd || cwd === "/" ? subject : subject.replaceAll(`${cwd}/`, "");
}

/** The words of a message, else what it calls or answers. */
function subjectOf(message: Message, items: readonly ContentItem[]): string {
  const words = clipLine(messageText(message));
  if (words !== "" && message.role !== "tool") return words;
  const told = items.filter(({ kind }) => kind !== "reasoning").map(({ subject }) => subject);
  const all = told.filter(Boolean).join(" · ");
  return clipLine(all) || (items.length > 0 ? items[0]?.subject : undefined) || "(empty)";
}
