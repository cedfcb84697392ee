import { randomBytes, timingSafeEqual } from "node:crypto";
import * as http from "node:http";
import type { AddressInfo } from "node:net";
import { ContextError, errorMessage } from "../core/error.ts";
import type { Assets } from "./assets.ts";
import { originalIn } from "./originals.ts";
import type { PageSource } from "./page-source.ts";
import { searchPages } from "./search.ts";
import { contentPolicy, exportedPage, originalsFor, piecesOf, servedPage } from "./write.ts";

/** Answers requests of the page. */
export interface PageHandler {
  /** What a browser needs behind the # of the address; it is never sent in an address. */
  readonly token: string;
  /** Whether the request was one for the page; it is answered then. */
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
      if (!isOwnName(request.headers.host)) {
        send(response, 403, { ...headers, "content-type": TEXT }, "this address is not its own");
      } else if (isPage) {
        send(response, 200, { ...headers, "content-type": "text/html; charset=utf-8" }, html);
      } else if (!isAllowed(request.headers.authorization, token)) {
        send(response, 401, { ...headers, "content-type": TEXT }, "the token is missing");
      } else if (url.pathname === "/page/events") {
        sendEvents(response, source, headers);
      } else if (url.pathname === "/page/export") {
        void sendExport(url, source, { assets, response, headers });
      } else {
        void answerData(url, source, response, headers);
      }
      return true;
    },
  };
}

type Headers = Readonly<Record<string, string>>;

const TEXT = "text/plain; charset=utf-8";
const COMMON: Headers = {
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "cross-origin-resource-policy": "same-origin",
};

async function answerData(
  url: URL,
  source: PageSource,
  response: http.ServerResponse,
  headers: Headers,
): Promise<void> {
  try {
    const value = await dataFor(url, source);
    if (value === undefined) send(response, 404, { ...headers, "content-type": TEXT }, "not here");
    else {
      const json = { ...headers, "content-type": "application/json; charset=utf-8" };
      send(response, 200, json, JSON.stringify(value));
    }
  } catch (error) {
    send(response, 400, { ...headers, "content-type": TEXT }, errorMessage(error));
  }
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

interface ExportParts {
  readonly assets: Assets;
  readonly response: http.ServerResponse;
  readonly headers: Headers;
}

/** A conversation as one file. */
async function sendExport(
  { searchParams }: URL,
  source: PageSource,
  { assets, response, headers }: ExportParts,
): Promise<void> {
  const page = source.page(searchParams.get("id") ?? "");
  if (page === undefined) {
    return send(response, 404, { ...headers, "content-type": TEXT }, "not here");
  }
  try {
    const whole = (await source.toExport?.(page)) ?? page;
    const file = exportedPage(whole, assets, await originalsFor(page, source.originals));
    send(
      response,
      200,
      { ...headers, "content-type": "text/html; charset=utf-8" },
      [...file].join(""),
    );
  } catch (error) {
    send(response, 400, { ...headers, "content-type": TEXT }, errorMessage(error));
  }
}

/** So often a line goes to a browser that waits, so that nobody between takes it for dead. */
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

function send(response: http.ServerResponse, status: number, headers: Headers, text: string): void {
  response.on("error", () => undefined);
  // A browser shows how much of it has come.
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

/** A page that is served. */
export interface PageServer {
  /** With the token behind the #. */
  readonly url: string;
  close(): void;
}

/** Serves a page on this machine alone. Rejects with `invalid-options` where it cannot listen. */
export async function servePage(source: PageSource, assets: Assets, port = 0): Promise<PageServer> {
  const handler = createPageHandler(source, assets);
  const server = http.createServer((request, response) => {
    if (!handler.answer(request, response)) send(response, 404, COMMON, "not here");
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
