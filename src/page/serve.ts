import { randomBytes, timingSafeEqual } from "node:crypto";
import * as http from "node:http";
import type { AddressInfo } from "node:net";
import { ContextError, errorMessage } from "../core/error.ts";
import type { Assets } from "./assets.ts";
import { bodyOf } from "./bodies.ts";
import { type Found, holds } from "./data.ts";
import { originalIn } from "./originals.ts";
import type { PageSource } from "./page-data.ts";
import { contentPolicy, exportedPage, originalsFor, piecesOf, servedPage } from "./write.ts";

export interface PageHandler {
  /** A browser needs it behind the # of the address; it is never sent in an address. */
  readonly token: string;
  /** Returns true for a request to the page, which is answered then. */
  answer(request: http.IncomingMessage, response: http.ServerResponse): boolean;
}

const TOKEN_BYTES = 24;

/** The page itself is open to everybody on this machine; what it shows is for who has the token. */
export function createPageHandler(source: PageSource, assets: Assets): PageHandler {
  const token = randomBytes(TOKEN_BYTES).toString("base64url");
  const html = servedPage(assets);
  const policy = contentPolicy(assets, "server");
  const headers = { ...COMMON, "content-security-policy": `${policy}; frame-ancestors 'none'` };
  return {
    token,
    answer(request, response) {
      const url = new URL(request.url ?? "/", "http://page");
      const isPage = url.pathname === "/";
      if (request.method !== "GET" || !(isPage || url.pathname.startsWith("/page/"))) return false;
      const send: Send = (status, text, type = "text/plain") => {
        const own = { ...headers, "content-type": `${type}; charset=utf-8` };
        sendText(response, { status, headers: own }, text);
      };
      if (!isOwnName(request.headers.host)) send(403, "this address is not its own");
      else if (isPage) send(200, html, "text/html");
      else if (!isAllowed(request.headers.authorization, token)) send(401, "the token is missing");
      else if (url.pathname === "/page/events") sendEvents(response, source, headers);
      else {
        const isExport = url.pathname === "/page/export";
        const answered = isExport
          ? sendExport(url, source, assets, send)
          : sendData(url, source, send);
        answered.catch((error: unknown) => send(400, errorMessage(error)));
      }
      return true;
    },
  };
}

type Headers = Readonly<Record<string, string>>;
type Send = (status: number, text: string, type?: string) => void;

const COMMON: Headers = {
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "cross-origin-resource-policy": "same-origin",
};

async function sendData(url: URL, source: PageSource, send: Send): Promise<void> {
  const value = await dataFor(url, source);
  if (value === undefined) send(404, "not here");
  else send(200, JSON.stringify(value), "application/json");
}

async function dataFor({ pathname, searchParams }: URL, source: PageSource): Promise<unknown> {
  if (pathname === "/page/conversations") return source.conversations();
  if (pathname === "/page/search") return searchPages(source, searchParams.get("q") ?? "");
  const id = searchParams.get("id") ?? "";
  const page = source.page(id);
  if (page === undefined) return undefined;
  if (pathname === "/page/data") return page.data;
  if (pathname === "/page/texts") return piecesOf(page)[Number(searchParams.get("piece"))]?.();
  if (pathname === "/page/original") {
    const handle = searchParams.get("handle");
    const row = page.data.originals.find((one) => one.handle === handle);
    return row && { text: await originalIn(source.originals, row.handle) };
  }
  const window = Number(searchParams.get("window"));
  if (pathname === "/page/replay") return source.replay?.(id, window);
  return undefined;
}

/** The messages of all conversations that hold a text, or whose originals do. */
async function searchPages(source: PageSource, query: string): Promise<readonly Found[]> {
  const wanted = query.trim().toLowerCase();
  if (wanted === "") return [];
  const all: Found[] = [];
  for (const { id } of source.conversations()) {
    const page = source.page(id);
    if (page === undefined) continue;
    const hits = new Set(
      page.messages.flatMap((message, number) => (holds(bodyOf(message), wanted) ? [number] : [])),
    );
    for (const { handle, message } of page.data.originals) {
      if (hits.has(message)) continue;
      const text = await originalIn(source.originals, handle);
      if (text?.toLowerCase().includes(wanted) === true) hits.add(message);
    }
    all.push({ id, hits: [...hits].toSorted((one, other) => one - other) });
    // Other requests get their turn.
    await new Promise((resolve) => setImmediate(resolve));
  }
  return all;
}

async function sendExport(
  { searchParams }: URL,
  source: PageSource,
  assets: Assets,
  send: Send,
): Promise<void> {
  const page = source.page(searchParams.get("id") ?? "");
  if (page === undefined) return send(404, "not here");
  const whole = (await source.toExport?.(page)) ?? page;
  const file = exportedPage(whole, assets, await originalsFor(page, source.originals));
  send(200, [...file].join(""), "text/html");
}

/** A browser that waits gets a line this often, so that nobody between takes it for dead. */
const ALIVE_MS = 15_000;

function sendEvents(response: http.ServerResponse, source: PageSource, headers: Headers): void {
  response.writeHead(200, { ...headers, "content-type": "text/event-stream" });
  response.write(": here\n\n");
  const alive = setInterval(() => response.write(": here\n\n"), ALIVE_MS);
  alive.unref();
  // A browser that does not read gets no more to read: the next word says all the same.
  const stop = source.watch?.((id) => {
    if (!response.writableNeedDrain) response.write(`data: ${JSON.stringify(id)}\n\n`);
  });
  response.on("error", () => undefined);
  response.on("close", () => {
    clearInterval(alive);
    stop?.();
  });
}

function sendText(
  response: http.ServerResponse,
  { status, headers }: { readonly status: number; readonly headers: Headers },
  text: string,
): void {
  response.on("error", () => undefined);
  // The length lets a browser show its progress.
  response.writeHead(status, { ...headers, "content-length": String(Buffer.byteLength(text)) });
  response.end(text);
}

/** A page of somebody else may call this address by a name of its own; its host then says so. */
function isOwnName(host: string | undefined): boolean {
  const name = (host ?? "").replace(/:\d+$/, "");
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/i.test(name);
}

/** Compared in the same time wherever they differ. */
function isAllowed(given: string | undefined, token: string): boolean {
  const [one, other] = [given ?? "", `Bearer ${token}`].map((text) => Buffer.from(text));
  return one !== undefined && one.length === other?.length && timingSafeEqual(one, other);
}

export interface PageServer {
  /** With the token behind the #. */
  readonly url: string;
  close(): void;
}

/** Serves a page on this machine alone. Rejects with `invalid-options` where it cannot listen. */
export async function servePage(source: PageSource, assets: Assets, port = 0): Promise<PageServer> {
  const handler = createPageHandler(source, assets);
  const server = http.createServer((request, response) => {
    if (handler.answer(request, response)) return;
    sendText(response, { status: 404, headers: COMMON }, "not here");
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause) => {
      const message = `The page cannot listen on 127.0.0.1:${port}: ${cause.message}.`;
      reject(new ContextError("invalid-options", message, { details: { port }, cause }));
    });
    server.listen(port, "127.0.0.1", resolve);
  });
  const { port: own } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${own}/#${handler.token}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
