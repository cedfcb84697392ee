import { isWireObject, type WireObject } from "../wire-value.ts";
import { itemType } from "./item-kind.ts";

/** What the API demands of ids, of the names of tools, and how long both may be. */
const MAX_ID = 64;
const TOOL_NAME = /^[a-zA-Z0-9_-]{1,128}$/;
/** How the ids of these items begin; the API refuses any other. */
const ID_PREFIX: Readonly<Record<string, string>> = {
  message: "msg",
  reasoning: "rs",
  function_call: "fc",
  custom_tool_call: "ctc",
};
const INPUT = ["input_text", "input_image", "input_file", "input_audio"];
const CONTENT: Readonly<Record<string, readonly string[]>> = {
  system: INPUT,
  developer: INPUT,
  user: INPUT,
  assistant: ["output_text", "refusal"],
};

export type ReportItem = (rule: string, problem: string) => void;

/** The rules that one item can break by itself. */
export function checkItem(item: WireObject, type: string, report: ReportItem): void {
  checkId(item, type, report);
  switch (type) {
    case "message":
      checkMessage(item, report);
      break;
    case "reasoning":
      if (!Array.isArray(item["summary"]))
        report("missing-summary", "is reasoning without summary");
      break;
    case "function_call":
      checkCall(item, "arguments", report);
      break;
    case "custom_tool_call":
      checkCall(item, "input", report);
      break;
    case "function_call_output":
    case "custom_tool_call_output":
      checkOutput(item, report);
  }
}

function checkId({ id }: WireObject, type: string, report: ReportItem): void {
  if (id === undefined || id === null) return;
  const prefix = ID_PREFIX[type] ?? "";
  const isLegal = typeof id === "string" && id !== "" && id.length <= MAX_ID;
  if (!isLegal || !id.startsWith(prefix)) {
    report("item-id", `has the id ${JSON.stringify(id)}, which is refused on a ${type}`);
  }
}

function checkMessage(item: WireObject, report: ReportItem): void {
  const { role, content } = item;
  const allowed = CONTENT[String(role)];
  if (allowed === undefined) {
    report("unknown-role", `has the unknown role ${JSON.stringify(role)}`);
    return;
  }
  if (typeof content === "string") return;
  if (!Array.isArray(content)) {
    report("missing-content", "needs a string or an array as content");
    return;
  }
  for (const part of content as unknown[]) {
    const type = isWireObject(part) ? part["type"] : undefined;
    if (typeof type !== "string" || !allowed.includes(type)) {
      report("content-part", `of the ${String(role)} may not hold a part of type ${String(type)}`);
    }
  }
}

function checkCall(item: WireObject, field: "arguments" | "input", report: ReportItem): void {
  if (typeof item[field] !== "string") {
    report("tool-arguments", `has a call whose ${field} are no string`);
  }
  if (!TOOL_NAME.test(String(item["name"]))) {
    report("tool-name", `calls ${JSON.stringify(item["name"])}, which is no tool name`);
  }
}

function checkOutput({ output }: WireObject, report: ReportItem): void {
  if (typeof output === "string") return;
  const isList = Array.isArray(output) && output.every((part) => isInputPart(part));
  if (!isList)
    report("tool-output-shape", "has an output that is neither a string nor input parts");
}

function isInputPart(part: unknown): boolean {
  return isWireObject(part) && INPUT.slice(0, 3).includes(String(part["type"]));
}

/** Whether a call's id can be the one of a call. */
export function isCallId(id: string | undefined): boolean {
  return id !== undefined && id !== "" && id.length <= MAX_ID;
}

/** The type of a value that is an item; undefined for any other. */
export function typeOf(value: unknown): string | undefined {
  return isWireObject(value) ? itemType(value) : undefined;
}
