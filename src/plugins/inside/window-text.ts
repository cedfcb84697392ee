import { largestItems, sharesByKind, windowContents } from "../../core/contents/window-contents.ts";
import { estimator } from "../../core/tokens/estimator.ts";
import { createMessageMeter } from "../../core/tokens/meter.ts";
import type { Latest } from "./session.ts";

const LARGEST = 5;

/** The contents of the window, for the person: sizes in tokens, as the newest request had them. */
export function windowText({ messages, report }: Latest): string {
  const { window, usable, tokens } = report;
  const held = createMessageMeter(estimator).total(messages);
  const outside = Math.max(0, tokens.after - held);
  const items = windowContents({ messages }, { tokens: tokens.after, outside });
  const kinds = sharesByKind(items).map(({ kind, tokens: size }) => row(size, kind));
  const largest = largestItems(items, LARGEST).map(({ kind, tool, subject, tokens: size }) =>
    row(size, [tool ?? kind, subject].filter((word) => word !== "").join(": ")),
  );
  const share = usable > 0 ? `${Math.round((tokens.after / usable) * 100)} %` : "all";
  return [
    `${grouped(tokens.after)} tokens in the window: ${share} of the ${grouped(usable)} that may be used of ${grouped(window)}.`,
    "",
    "By kind",
    ...kinds,
    "",
    "Largest",
    ...largest,
  ].join("\n");
}

const WIDTH = 10;

function row(tokens: number, name: string): string {
  return `${grouped(tokens).padStart(WIDTH)}  ${name}`;
}

function grouped(value: number): string {
  return String(Math.round(value)).replace(/\B(?=(?:\d{3})+$)/g, ",");
}
