/** Files of the sources as text. */
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import type { Reader } from "./sources.ts";

/** The text of a file, without the marks of its format. */
export function readText(path: string, reader: Reader): string {
  const bytes = readFileSync(path);
  const raw = path.endsWith(".gz") ? gunzipSync(bytes) : bytes;
  if (reader === "messages") return messagesText(raw);
  const text = raw.toString("utf8");
  if (reader === "html") return htmlText(text);
  return reader === "man" ? manText(text) : text;
}

function htmlText(html: string): string {
  return html
    .replace(/<(script|style|head)\b[\s\S]*?<\/\1>/g, "")
    .replace(/<[^>]*>/g, "")
    .replace(/&nbsp;|&#160;/g, " ")
    .replace(/&lt;/g, "<")
    .replace(/&gt;/g, ">")
    .replace(/&quot;/g, '"')
    .replace(/&#8217;/g, "’")
    .replace(/&amp;/g, "&")
    .replace(/\n\s*\n\s*/g, "\n\n");
}

function manText(roff: string): string {
  return roff
    .replace(/^[.']\\".*\n/gm, "")
    .replace(/^\.(SH|SS|TP|PP|IP|B|I|BR|RB|IR|RI|TH|br|nf|fi|sp|RS|RE)\b ?/gm, "")
    .replace(/\\f[BIRP]|\\&/g, "")
    .replace(/\\-/g, "-")
    .replace(/\\\((..)/g, "");
}

/** The translations in a compiled message catalogue (.mo), the longer ones. */
function messagesText(bytes: Buffer): string {
  const count = bytes.readUInt32LE(8);
  const table = bytes.readUInt32LE(16);
  const texts: string[] = [];
  for (let i = 0; i < count; i++) {
    const length = bytes.readUInt32LE(table + i * 8);
    const at = bytes.readUInt32LE(table + i * 8 + 4);
    if (length > 40) texts.push(bytes.toString("utf8", at, at + length).replace(/[~\0]/g, ""));
  }
  return texts.join("\n");
}
