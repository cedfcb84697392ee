import type { Message } from "../../core/message/index.ts";

/**
 * A neutral message as JSON. It has no source; of its parts only opaque ones have one, because
 * there the native block is all there is.
 */
export type NeutralMessage = Omit<Message, "source">;

/** The name of this dialect. */
export const NEUTRAL = "neutral";
