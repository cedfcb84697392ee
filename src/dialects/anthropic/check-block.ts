import { isWireObject, type WireObject } from "../wire-value.ts";

const CALL_ID = /^[a-zA-Z0-9_-]+$/;
const TOOL_NAME = /^[a-zA-Z0-9_-]{1,128}$/;
/** Blocks that only the model or only the user may send. */
const ASSISTANT_BLOCKS = ["tool_use", "thinking", "redacted_thinking", "server_tool_use"];
const USER_BLOCKS = ["tool_result", "image", "document", "search_result"];

export type ReportBlock = (rule: string, problem: string) => void;

/** Content as blocks; a string is one text block, an empty one is none. */
export function contentBlocks(content: unknown): WireObject[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  return Array.isArray(content) ? content.filter((block: unknown) => isWireObject(block)) : [];
}

/** The rules that one block can break by itself. */
export function checkBlock(block: WireObject, role: string, report: ReportBlock): void {
  const type = String(block["type"]);
  const misplaced = role === "user" ? ASSISTANT_BLOCKS : USER_BLOCKS;
  if (misplaced.includes(type)) report("misplaced-block", `may not hold a ${type} block`);
  if (type === "text" && (typeof block["text"] !== "string" || block["text"].trim() === "")) {
    report("empty-text", "has a text block without text");
  }
  if (type === "thinking" && !isText(block["signature"])) {
    report("thinking-signature", "has a thinking block without a signature");
  }
  if (type === "tool_use") checkCall(block, report);
  if (type === "tool_result") {
    for (const inner of contentBlocks(block["content"])) {
      const isEmpty = inner["type"] === "text" && inner["text"] === "";
      if (isEmpty) report("empty-text", "has a tool result with an empty text block");
    }
  }
}

function checkCall(block: WireObject, report: ReportBlock): void {
  if (!isText(block["id"]) || !CALL_ID.test(block["id"])) {
    report("tool-call-id", `has the tool_use id ${JSON.stringify(block["id"])}, which is refused`);
  }
  if (!isText(block["name"]) || !TOOL_NAME.test(block["name"])) {
    report("tool-name", `calls ${JSON.stringify(block["name"])}, which is no tool name`);
  }
  if (!isWireObject(block["input"])) {
    report("tool-input", `has a tool_use ${String(block["id"])} whose input is no object`);
  }
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
