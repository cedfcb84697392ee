import { openaiResponses } from "../../../src/dialects/index.ts";
import { type JsonObject, text } from "../json.ts";
import { issueProblems, type Problem, type Problems } from "../refusal.ts";
import { typeOf } from "./rules.ts";
import { unseal } from "./seal.ts";
import type { ResponseStore } from "./store.ts";

export interface PairContext {
  readonly store: ResponseStore;
  readonly secret: string;
}

/** The rules between items, over everything that the model will see. */
export function* pairProblems(items: readonly JsonObject[], context: PairContext): Problems {
  for (const item of items) {
    if (typeOf(item) === "reasoning") yield* contentProblems(item, context);
  }
  yield* issueProblems(openaiResponses.check(items, { asRequest: true }));
  yield* reasoningProblems(items, context.store);
}

/** Reasoning comes with its own sealed content, or is stored. */
function* contentProblems(item: JsonObject, { store, secret }: PairContext): Problems {
  const id = text(item["id"]);
  const sealed = item["encrypted_content"];
  if (sealed == null) {
    if (store.item(id) === undefined) yield notFound(id);
  } else if (unseal(text(sealed), secret) === undefined) {
    yield {
      message: `The encrypted content for item ${id} could not be verified. Reason: Encrypted content could not be decrypted or parsed.`,
      code: "invalid_encrypted_content",
    };
  }
}

/** What the server made goes back with the reasoning that led to it, and that with what it led to. */
function* reasoningProblems(items: readonly JsonObject[], store: ResponseStore): Problems {
  const ids = new Set<string>();
  for (const [index, item] of items.entries()) {
    const id = text(item["id"]);
    const made = store.made(id);
    if (typeOf(item) === "reasoning") ids.add(id);
    else if (made?.reasoning !== undefined && !ids.has(made.reasoning)) {
      yield inputProblem(
        `Item '${id}' of type '${typeOf(item)}' was provided without its required 'reasoning' item: '${made.reasoning}'.`,
      );
    }
    if (made?.next === undefined || isSame(items[index + 1], made.next)) continue;
    yield inputProblem(
      `Item '${id}' of type 'reasoning' was provided without its required following item.`,
    );
  }
}

/** Whether an item is the very one that came after a piece of reasoning. */
function isSame(
  item: JsonObject | undefined,
  made: { readonly id: string; readonly callId: string | undefined },
): boolean {
  if (item?.["id"] != null) return item["id"] === made.id;
  const isMessage = item !== undefined && typeOf(item) === "message";
  return made.callId === undefined ? isMessage : item?.["call_id"] === made.callId;
}

export function notFound(id: string): Problem {
  return {
    message: `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`,
    param: "input",
    status: 404,
  };
}

function inputProblem(message: string): Problem {
  return { message, param: "input" };
}
