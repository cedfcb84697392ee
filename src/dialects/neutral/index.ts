export { decodeNeutral, encodeNeutral, neutral } from "./neutral.ts";
export type { NeutralMessage } from "./wire.ts";
