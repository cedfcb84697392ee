import type { WireObject } from "../wire-value.ts";

/** Both streams of one command of a shell call as one text. */
export function shellText(piece: WireObject): string {
  return [piece["stdout"], piece["stderr"]]
    .filter((text) => typeof text === "string" && text !== "")
    .join("\n");
}
