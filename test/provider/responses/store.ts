import type { JsonObject } from "../json.ts";

/** What is known of an item that this server made. */
export interface MadeItem {
  /** The reasoning item that it needs before it, if one came before it. */
  readonly reasoning?: string;
  /** Of reasoning: the item that must come next, by its id and its call id. */
  readonly next?: { readonly id: string; readonly callId: string | undefined };
}

/** What OpenAI remembers from request to request. */
export interface ResponseStore {
  /** Everything up to and with a stored response; `undefined` if there is none with this id. */
  conversation(responseId: string): readonly JsonObject[] | undefined;
  /** A stored item, for references and for reasoning that is sent without its content. */
  item(id: string): JsonObject | undefined;
  /** Of all items that were ever made, stored or not. */
  made(id: string): MadeItem | undefined;
  keep(responseId: string, items: readonly JsonObject[]): void;
  remember(output: readonly JsonObject[]): void;
}

export function createResponseStore(): ResponseStore {
  const conversations = new Map<string, readonly JsonObject[]>();
  const items = new Map<string, JsonObject>();
  const made = new Map<string, MadeItem>();
  return {
    conversation: (responseId) => conversations.get(responseId),
    item: (id) => items.get(id),
    made: (id) => made.get(id),
    keep(responseId, all) {
      conversations.set(responseId, all);
      for (const item of all) if (typeof item["id"] === "string") items.set(item["id"], item);
    },
    remember(output) {
      let reasoning: string | undefined;
      output.forEach((item, at) => {
        const id = String(item["id"]);
        if (item["type"] !== "reasoning") {
          made.set(id, reasoning === undefined ? {} : { reasoning });
          return;
        }
        reasoning = id;
        const next = output[at + 1];
        const callId = typeof next?.["call_id"] === "string" ? next["call_id"] : undefined;
        made.set(id, next === undefined ? {} : { next: { id: String(next["id"]), callId } });
      });
    },
  };
}
