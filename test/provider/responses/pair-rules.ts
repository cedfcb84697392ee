import { type JsonObject, text } from "../json.ts";
import type { Problem, Problems } from "../refusal.ts";
import { typeOf } from "./rules.ts";
import { unseal } from "./seal.ts";
import type { ResponseStore } from "./store.ts";

export interface PairContext {
  readonly store: ResponseStore;
  readonly secret: string;
}

/** What only the model makes; one of them must follow reasoning. */
const CALL =
  /^(?:function|custom_tool|local_shell|shell|apply_patch|computer|mcp|web_search|file_search|image_generation|code_interpreter|tool_search)_call$/;
const PAIRED_CALL = /^(?:function|custom_tool)_call$/;
const PAIRED_OUTPUT = /^(?:function|custom_tool)_call_output$/;

/** The rules between items, over everything that the model will see. */
export function* pairProblems(items: readonly JsonObject[], context: PairContext): Problems {
  yield* duplicateProblems(items);
  for (const item of items) {
    if (typeOf(item) === "reasoning") yield* contentProblems(item, context);
  }
  yield* reasoningProblems(items, context.store);
  yield* callProblems(items);
}

function* duplicateProblems(items: readonly JsonObject[]): Problems {
  const seen = new Set<string>();
  for (const item of items) {
    const call = PAIRED_CALL.test(typeOf(item)) ? `call_id ${text(item["call_id"])}` : "";
    const own = item["id"] == null ? "" : `id ${text(item["id"])}`;
    for (const name of [own, call].filter((one) => one !== "")) {
      if (seen.has(name)) {
        yield inputProblem(
          `Duplicate item found with ${name}. Remove duplicate items from your input and try again.`,
        );
      }
      seen.add(name);
    }
  }
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

function* reasoningProblems(items: readonly JsonObject[], store: ResponseStore): Problems {
  const ids = new Set<string>();
  for (const [index, item] of items.entries()) {
    const id = text(item["id"]);
    const made = store.made(id);
    if (typeOf(item) !== "reasoning") {
      if (made?.reasoning !== undefined && !ids.has(made.reasoning)) {
        yield inputProblem(
          `Item '${id}' of type '${typeOf(item)}' was provided without its required 'reasoning' item: '${made.reasoning}'.`,
        );
      }
      continue;
    }
    ids.add(id);
    if (!isFollowed(items[index + 1], made?.next)) {
      yield inputProblem(
        `Item '${id}' of type 'reasoning' was provided without its required following item.`,
      );
    }
  }
}

/** Whether the next item is of the model, and the very one that came after this reasoning. */
function isFollowed(
  item: JsonObject | undefined,
  made: { readonly id: string; readonly callId: string | undefined } | undefined,
): boolean {
  if (item === undefined) return false;
  const type = typeOf(item);
  const isOfModel =
    CALL.test(type) || type === "reasoning" || (type === "message" && item["role"] === "assistant");
  if (!isOfModel || made === undefined) return isOfModel;
  if (item["id"] != null) return item["id"] === made.id;
  return made.callId === undefined ? type === "message" : item["call_id"] === made.callId;
}

function* callProblems(items: readonly JsonObject[]): Problems {
  const open = new Set<string>();
  const answered = new Set<string>();
  for (const item of items) {
    const id = text(item["call_id"]);
    if (PAIRED_CALL.test(typeOf(item))) open.add(id);
    if (!PAIRED_OUTPUT.test(typeOf(item))) continue;
    if (!open.has(id)) {
      yield inputProblem(`No tool call found for function call output with call_id ${id}.`);
    }
    if (answered.has(id)) {
      yield inputProblem(`Duplicate function call output found with call_id ${id}.`);
    }
    answered.add(id);
  }
  const unanswered = [...open].find((id) => !answered.has(id));
  if (unanswered !== undefined) {
    yield inputProblem(`No tool output found for function call ${unanswered}.`);
  }
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
