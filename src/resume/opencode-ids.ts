import { hexId } from "./session.ts";

export type OpencodeIds = (prefix: "ses" | "msg" | "prt") => string;

/** Ids as opencode makes them: they ascend, because it sorts by them. */
export function createOpencodeIds(now: number): OpencodeIds {
  let counter = 0;
  return (prefix) => {
    counter += 1;
    const time = (BigInt(now) * 4096n + BigInt(counter)) & 0xff_ff_ff_ff_ff_ffn;
    return `${prefix}_${time.toString(16).padStart(12, "0")}${hexId(7)}`;
  };
}
