import { createHash } from "node:crypto";
import type { Assets } from "./assets.ts";
import { bodyOf } from "./bodies.ts";
import { originalIn, type Originals } from "./originals.ts";
import type { Page } from "./page-data.ts";

type Home = "file" | "server";

/**
 * The page as one file that loads nothing: its data is JSON in elements that no browser runs or
 * interprets. The script stands before the texts of the messages, so that the page is there while
 * they are still read; they come in pieces that are parsed when somebody looks at them.
 */
export function* exportedPage(
  page: Page,
  assets: Assets,
  originals: ReadonlyMap<string, string> = new Map(),
): Generator<string> {
  const { data } = page;
  const title = `${data.about.title || data.about.agent} · Longhaul`;
  const wait = `Reading ${data.messages.length.toLocaleString("en")} messages …`;
  yield* pageHead({ assets, title, home: "file", wait });
  const kept = data.originals.filter(({ handle }) => originals.has(handle));
  yield inert("data", { ...data, originals: kept });
  yield scriptOf(assets);
  for (const [piece, texts] of piecesOf(page).entries()) yield inert(String(piece), texts());
  for (const [handle, text] of originals) yield inert(handle, text);
  yield END;
}

/** The most of the archive in a file: of a single original, and of all. */
const MOST_OF_ONE = 200_000;
const MOST_OF_ALL = 10_000_000;

/** The originals that a file takes with it, in the order of their messages. */
export async function originalsFor(
  { data }: Page,
  originals: Originals | undefined,
): Promise<ReadonlyMap<string, string>> {
  const kept = new Map<string, string>();
  let room = MOST_OF_ALL;
  for (const { handle } of data.originals) {
    if (kept.has(handle)) continue;
    const text = await originalIn(originals, handle);
    if (text === undefined || text.length > Math.min(room, MOST_OF_ONE)) continue;
    kept.set(handle, text);
    room -= text.length;
  }
  return kept;
}

/** The page without any data; it asks its server for that. */
export function servedPage(assets: Assets): string {
  const wait = "Reading the session …";
  const head = [...pageHead({ assets, title: "Longhaul", home: "server", wait })];
  return [...head, scriptOf(assets), END].join("");
}

/** The texts of the messages, so many in each piece. */
export function piecesOf({ data, messages }: Page): (() => unknown)[] {
  const { perPiece } = data;
  return Array.from({ length: Math.ceil(messages.length / perPiece) }, (_, piece) => () => {
    return messages.slice(piece * perPiece, (piece + 1) * perPiece).map(bodyOf);
  });
}

/** Only our own script and style, by their digests; a page from a server may talk to that alone. */
export function contentPolicy({ script, style }: Assets, home: Home): string {
  return [
    "default-src 'none'",
    `script-src '${digestOf(script)}'`,
    `style-src '${digestOf(style)}'`,
    ...(home === "server" ? ["connect-src 'self'"] : []),
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
}

function digestOf(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}

interface HeadParts {
  readonly assets: Assets;
  readonly title: string;
  readonly home: Home;
  /** Stands there until the script runs. */
  readonly wait: string;
}

function* pageHead({ assets, title, home, wait }: HeadParts): Generator<string> {
  yield `<!doctype html>
<html lang="en" data-home="${home}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${contentPolicy(assets, home)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${title.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)}</title>
<style>${assets.style}</style>
</head>
<body>
<div id="app"><p class="loading" role="status">${wait}</p></div>
<noscript><p class="loading">This page needs JavaScript; all of it is in this file.</p></noscript>
`;
}

function scriptOf({ script }: Assets): string {
  return `<script>${script}</script>\n`;
}

const END = "</body>\n</html>\n";

/** JSON in an element that is never run: no `<` in it, so nothing in it can end the element. */
function inert(id: string, value: unknown): string {
  const json = JSON.stringify(value).replaceAll("<", String.raw`\u003c`);
  return `<script type="application/json" id="longhaul-${id}">${json}</script>\n`;
}
