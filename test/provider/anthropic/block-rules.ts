import { isObject, text } from "../json.ts";
import type { Problems } from "../refusal.ts";
import { blocksOf, type Placed } from "./turns.ts";

/** The fields of the blocks that we know; others are let through as they are. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  text: ["type", "text", "cache_control", "citations"],
  thinking: ["type", "thinking", "signature"],
  redacted_thinking: ["type", "data"],
  tool_use: ["type", "id", "name", "input", "cache_control", "caller", "toolset_name"],
  tool_result: ["type", "tool_use_id", "content", "is_error", "cache_control", "toolset_name"],
  image: ["type", "source", "cache_control", "transformations"],
};
const REQUIRED: Readonly<Record<string, readonly string[]>> = {
  text: ["text"],
  thinking: ["thinking", "signature"],
  redacted_thinking: ["data"],
  tool_use: ["id", "name", "input"],
  tool_result: ["tool_use_id"],
  image: ["source"],
};
const OTHER_BLOCK =
  /^(?:document|search_result|container_upload|compaction|fallback|(?:server|mcp)_tool_use|\w+_tool_result|mcp_tool_listing|tool_(?:addition|removal|reference)|browser_state)$/;
/** Who may send what; the rest may stand anywhere. */
const OWNERS: Readonly<Record<string, string>> = {
  tool_use: "assistant",
  thinking: "assistant",
  redacted_thinking: "assistant",
  server_tool_use: "assistant",
  tool_result: "user",
  image: "user",
  document: "user",
};
const CALL_ID = /^[a-zA-Z0-9_-]+$/;
const CALL_NAME = /^[a-zA-Z0-9_-]{1,200}$/;

/** The rules that one block can break by itself. */
export function* blockProblems({ block, at }: Placed, role: string): Problems {
  const type = String(block["type"]);
  const fields = FIELDS[type];
  if (fields === undefined && !OTHER_BLOCK.test(type)) {
    yield {
      message: `${at}: Input tag '${type}' found using 'type' does not match any of the expected tags`,
    };
  }
  const owner = OWNERS[type];
  if (owner !== undefined && owner !== role) {
    yield { message: `${at}: \`${type}\` blocks can only be in \`${owner}\` messages` };
  }
  for (const field of REQUIRED[type] ?? []) {
    if (block[field] === undefined) yield { message: `${at}.${type}.${field}: Field required` };
  }
  for (const field of Object.keys(block)) {
    if (fields !== undefined && !fields.includes(field)) {
      yield { message: `${at}.${type}.${field}: Extra inputs are not permitted` };
    }
  }
  if (type === "text") yield* textProblems({ block, at });
  if (type === "tool_use") yield* callProblems({ block, at });
  if (type === "tool_result") yield* resultProblems({ block, at });
}

function* textProblems({ block, at }: Placed): Problems {
  if (typeof block["text"] !== "string") {
    yield { message: `${at}.text.text: Input should be a valid string` };
  }
  if (block["text"] === "") yield { message: "messages: text content blocks must be non-empty" };
  if (text(block["text"]).trim() === "") {
    yield { message: "messages: text content blocks must contain non-whitespace text" };
  }
}

function* callProblems({ block, at }: Placed): Problems {
  if (!CALL_ID.test(text(block["id"]))) {
    yield { message: `${at}.tool_use.id: String should match pattern '${CALL_ID.source}'` };
  }
  if (!CALL_NAME.test(text(block["name"]))) {
    yield { message: `${at}.tool_use.name: String should match pattern '${CALL_NAME.source}'` };
  }
  if (!isObject(block["input"])) {
    yield { message: `${at}.tool_use.input: Input should be a valid dictionary` };
  }
}

function* resultProblems({ block, at }: Placed): Problems {
  const { content } = block;
  if (content === undefined || content === "") return;
  if (typeof content !== "string" && !Array.isArray(content)) {
    yield { message: `${at}.tool_result.content: Input should be a valid list` };
  }
  for (const [index, inner] of blocksOf(content).entries()) {
    const place = `${at}.tool_result.content.${index}`;
    if (inner["type"] === "text" && inner["text"] === "") {
      yield { message: "messages: text content blocks must be non-empty" };
    }
    if (["tool_use", "tool_result", "thinking"].includes(String(inner["type"]))) {
      yield {
        message: `${place}: Input tag '${String(inner["type"])}' found using 'type' does not match any of the expected tags: 'text', 'image', 'search_result', 'document', 'tool_reference'`,
      };
    }
  }
}
