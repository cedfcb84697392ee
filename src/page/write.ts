import { createHash } from "node:crypto";
import type { Assets } from "./assets.ts";
import { bodyOf } from "./bodies.ts";
import type { Page } from "./page-data.ts";

/** What the page is told about where its data is. */
type Home = "file" | "server";

/**
 * The page as one file that loads nothing: its data is JSON in elements that no browser runs or
 * interprets, the texts of the messages in pieces that are parsed when somebody looks at them.
 */
export function* exportedPage(page: Page, assets: Assets): Generator<string> {
  const title = `${page.data.about.title || page.data.about.agent} · Longhaul`;
  yield* pageHead({ assets, title, home: "file" });
  yield inert("longhaul-data", page.data);
  for (const [piece, texts] of piecesOf(page).entries()) yield inert(`longhaul-${piece}`, texts());
  yield pageEnd(assets);
}

/** The page without any data; it asks its server for that. */
export function servedPage(assets: Assets): string {
  const head = [...pageHead({ assets, title: "Longhaul", home: "server" })];
  return [...head, pageEnd(assets)].join("");
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
}

function* pageHead({ assets, title, home }: HeadParts): Generator<string> {
  yield `<!doctype html>
<html lang="en" data-home="${home}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${contentPolicy(assets, home)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${escaped(title)}</title>
<style>${assets.style}</style>
</head>
<body>
<div id="app"><p class="loading" role="status">Reading the session …</p></div>
<noscript><p class="loading">This page needs JavaScript; all of it is in this file.</p></noscript>
`;
}

function pageEnd({ script }: Assets): string {
  return `<script>${script}</script>\n</body>\n</html>\n`;
}

/** JSON in an element that is never run: no `<` in it, so nothing in it can end the element. */
function inert(id: string, value: unknown): string {
  const json = JSON.stringify(value).replaceAll("<", String.raw`\u003c`);
  return `<script type="application/json" id="${id}">${json}</script>\n`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
