import { spawn } from "node:child_process";
import path from "node:path";
import { everyConversation } from "../archive/every-conversation.ts";
import { archiveFolder } from "../archive/home.ts";
import { wrongUse } from "../core/error.ts";
import type { About, ConversationRow, Replay } from "../page/data.ts";
import type { Page } from "../page/page-data.ts";
import { count } from "../core/text/figures.ts";
import { inspect, type Inspection } from "./inspection.ts";
import type { LoadOptions } from "./load.ts";
import { unbroken } from "./columns.ts";
import { type Io, isTerminal, talk, tell } from "./io.ts";
import { loadSent } from "./sent-session.ts";
import { sourceWords } from "./measure-session.ts";
import { browserCall } from "./program-call.ts";
import { dayOf, type OwnPrices, priceOf, spentIn, usesOf } from "./money/spent.ts";
import type { ChosenSession } from "./sessions/find-session.ts";
import type { Message } from "../core/message/index.ts";

export interface PageFlags {
  /** Serve the page and open it. */
  readonly web?: boolean;
  /** Write it to this file. */
  readonly html?: string;
}

interface PageOptions extends LoadOptions, PageFlags {
  readonly prices?: OwnPrices;
}

/** The window of a session as a page: in a file, or in a browser. */
export async function inspectPage(
  io: Io,
  session: ChosenSession,
  { web, html, ...options }: PageOptions,
): Promise<void> {
  const { readAssets } = await import("../page/assets.ts");
  const assets = readAssets();
  const page = await sessionPage(io, session, options);
  const originals = everyConversation(archiveFolder(io.env));
  if (html !== undefined) {
    const { exportedPage, originalsFor } = await import("../page/write.ts");
    const { writeFileAtomically } = await import("./write-file.ts");
    const file = path.resolve(io.cwd, html);
    // It holds all that was said.
    const whole = await withReplay(page, options);
    const kept = await originalsFor(page, originals);
    const text = [...exportedPage(whole, assets, kept)].join("");
    await writeFileAtomically(file, text, { mode: 0o600 });
    tell(io, options, { file }, () => [unbroken(file)]);
  }
  if (web !== true) return;
  const { servePage } = await import("../page/serve.ts");
  const server = await servePage(
    {
      conversations: () => [rowOf(page)],
      page: (id) => (id === ONLY ? page : undefined),
      replay: (_, window) => replayIn(page, window, options),
      toExport: (whole) => withReplay(whole, options),
      originals,
    },
    assets,
  );
  tell(io, options, { url: server.url }, () => [unbroken(server.url)]);
  if (isTerminal(io)) {
    talk(io, "The page is there until you press Ctrl-C.");
    openBrowser(io, server.url);
  }
  await stopped();
  server.close();
}

const ONLY = "session";

function rowOf({ data }: Page): ConversationRow {
  const { about, steps, edits } = data;
  const { title, model, tokens, usable, updatedAt = 0 } = about;
  const own = { id: ONLY, title, tokens, usable, steps: steps.length - 1, edits: edits.length };
  return { ...own, model, updatedAt };
}

/** The page of a session. */
export async function sessionPage(
  io: Io,
  session: ChosenSession,
  options: LoadOptions & Pick<PageOptions, "prices">,
): Promise<Page> {
  const [{ pageOf }, { readWindows }] = await Promise.all([
    import("../page/page-data.ts"),
    import("../transcripts/windows.ts"),
  ]);
  const loaded = await loadSent(io, session, options);
  const { conversation, transcript } = loaded;
  const inspection = inspect(session.path ?? session.name, loaded, options);
  const isOne = transcript.conversations.length === 1;
  const { format } = transcript;
  const before = isOne
    ? await readWindows(await session.load(), { format, limits: options.limit })
    : [];
  const sent = await loaded.sentAfter(before.filter(({ length }) => length > 0));
  const windows = sent.map(({ messages, record }) => {
    return { messages, made: record && { by: "longhaul" as const } };
  });
  const { prices = {} } = options;
  const spent = conversation.requests && spentIn(usesOf(conversation.requests), prices);
  const { model = "", updatedAt } = conversation;
  const price = priceOf({ model, day: dayOf(updatedAt), band: 0 }, prices);
  return pageOf({
    about: aboutOf(inspection),
    windows,
    instructions: conversation.instructions,
    size: inspection.size,
    spent: spent && spent.requests > 0 ? spent : undefined,
    price,
    costOf: ({ usage, time, role }: Message) => {
      if (usage === undefined || role !== "assistant") return undefined;
      const request = { usage, time, model: conversation.model };
      return spentIn(usesOf([request]), prices).cost;
    },
  });
}

/** An export can work nothing out any more: it has the replay in the session's own window. */
async function withReplay(page: Page, options: PageOptions): Promise<Page> {
  const { about, steps } = page.data;
  const { window, usable } = about;
  if (steps.length > MOST_REPLAYED) return page;
  const replays: Replay[] = [];
  for (const size of usable > SMALL_WINDOW ? [window, SMALL_WINDOW] : [window]) {
    const replay = await replayIn(page, size, options).catch(() => undefined);
    if (replay !== undefined) replays.push(replay);
  }
  return { ...page, data: { ...page.data, replays } };
}

/** Longer sessions take minutes to play: a page on a server plays them when somebody asks. */
const MOST_REPLAYED = 5_000;

/** A window that many models have. */
const SMALL_WINDOW = 64_000;

/** The session in another window; throws `invalid-options` for one that is none. */
async function replayIn(
  page: Page,
  window: number,
  { prices }: Pick<PageOptions, "prices">,
): Promise<Replay> {
  if (!Number.isInteger(window) || window < LEAST_WINDOW || window > MOST_WINDOW) {
    throw wrongUse(
      `A window has ${count(LEAST_WINDOW)} to ${count(MOST_WINDOW)} tokens, not ${window}.`,
    );
  }
  const { replayOf } = await import("../page/replay.ts");
  const { model = "", updatedAt, cwd } = page.data.about;
  const price = priceOf({ model, day: dayOf(updatedAt), band: 0 }, prices);
  return replayOf(page, { window, cwd, price });
}

const LEAST_WINDOW = 4_000;
const MOST_WINDOW = 10_000_000;

function aboutOf({ file, loaded, size, chosen, warnings }: Inspection): About {
  const { conversation, transcript, title: agent } = loaded;
  const { title = "", model, cwd, startedAt, updatedAt } = conversation;
  const { version } = transcript;
  return {
    title: title || path.basename(file),
    agent: version === undefined ? agent : `${agent} ${version}`,
    model,
    cwd,
    startedAt,
    updatedAt,
    window: size.budget.window,
    usable: size.budget.usable,
    isAssumed: chosen.from === "default",
    tokens: size.tokens,
    isOver: size.isOver,
    source: sourceWords(size),
    warnings,
  };
}

/** Opens the person's browser; whoever has none has the address. */
function openBrowser({ env }: Pick<Io, "env">, url: string): void {
  if (env["LONGHAUL_NO_BROWSER"] !== undefined) return;
  const { file, args } = browserCall(url);
  const child = spawn(file, args, { stdio: "ignore", detached: true });
  child.on("error", () => undefined);
  child.unref();
}

async function stopped(): Promise<void> {
  await new Promise<void>((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
  });
}
