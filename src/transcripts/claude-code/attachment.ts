import { isRecord } from "../../core/text/json.ts";
import type { Message, Part } from "../../core/message/index.ts";
import { textParts } from "../content.ts";
import { contentBlocks } from "./content.ts";

type Attachment = Readonly<Record<string, unknown>>;
type Render = (attachment: Attachment) => string | readonly Part[];

/** Hook outputs reach the model at these events only. */
const SENT_HOOKS = new Set(["SessionStart", "UserPromptSubmit"]);

/**
 * What each kind of attachment told the model. The program has its own wording, which files do not
 * hold; here every kind gets one plain line that says what follows.
 */
const RENDERERS: ReadonlyMap<string, Render> = new Map(
  Object.entries<Render>({
    file: fileContent,
    directory: (it) => titled(`Folder ${name(it)}:`, textOf(it["content"])),
    compact_file_reference: (it) =>
      `The file ${name(it)} was read before the compaction; its content is not repeated here.`,
    edited_text_file: (it) =>
      titled(`The file ${name(it)} was changed meanwhile:`, textOf(it["snippet"])),
    nested_memory: (it) => titled(`Instructions in ${name(it)}:`, contentText(it["content"])),
    task_reminder: (it) => titled("Current tasks:", taskLines(it["content"])),
    todo_reminder: (it) => titled("Current todo list:", taskLines(it["content"])),
    skill_listing: (it) => titled("Available skills:", contentText(it["content"])),
    hook_additional_context: (it) =>
      titled(`A hook (${name(it)}) adds:`, contentText(it["content"])),
    hook_success: (it) =>
      SENT_HOOKS.has(textOf(it["hookEvent"]))
        ? titled(`A hook (${name(it)}) says:`, contentText(it["content"]))
        : "",
    deferred_tools_delta: (it) => delta("tools", "addedLines", it),
    agent_listing_delta: (it) => delta("agents", "addedLines", it),
    mcp_instructions_delta: (it) => delta("instructions of MCP servers", "addedBlocks", it),
    command_permissions: () => "",
  }),
);

/**
 * An attachment line as the user message that it was sent as; `undefined` when it was not sent.
 * A queued command is a prompt that the person typed while the agent worked; all else is injected.
 */
export function attachmentMessage(attachment: Attachment): Message | undefined {
  const type = textOf(attachment["type"]);
  if (type === "queued_command") return queuedCommand(attachment);
  const render = RENDERERS.get(type) ?? ((it) => contentText(it["content"]));
  const content = render(attachment);
  const parts = typeof content === "string" ? textParts(content) : content;
  return parts.length === 0 ? undefined : { role: "user", parts, kind: "injected" };
}

function queuedCommand(attachment: Attachment): Message | undefined {
  const parts = contentBlocks(attachment["prompt"]);
  if (parts.length === 0) return undefined;
  const { origin, commandMode } = attachment;
  const byProgram =
    (isRecord(origin) && origin["kind"] !== undefined && origin["kind"] !== "human") ||
    attachment["isMeta"] === true ||
    (commandMode !== undefined && commandMode !== "prompt");
  return { role: "user", parts, kind: byProgram ? "injected" : undefined };
}

function fileContent(attachment: Attachment): string | readonly Part[] {
  const { content } = attachment;
  const file = isRecord(content) ? content["file"] : undefined;
  if (!isRecord(file)) return titled(`File ${name(attachment)}:`, contentText(content));
  const data = textOf(file["base64"]);
  if (data === "") return titled(`File ${name(attachment)}:`, textOf(file["content"]));
  const mediaType = textOf(file["type"]) || "application/octet-stream";
  return [{ type: "file", mediaType, filename: name(attachment), data }];
}

function delta(what: string, added: string, attachment: Attachment): string {
  const news = contentText(attachment[added]);
  const gone = contentText(attachment["removedNames"]);
  return [titled(`New ${what}:`, news), titled(`No longer available ${what}:`, gone)]
    .filter((text) => text !== "")
    .join("\n");
}

/** The content below a line that says what it is; nothing without content. */
function titled(title: string, content: string): string {
  return content === "" ? "" : `${title}\n${content}`;
}

/** What an attachment is about: a file, a hook. */
function name(attachment: Attachment): string {
  for (const key of ["filename", "path", "hookName", "displayPath"]) {
    if (typeof attachment[key] === "string") return attachment[key];
  }
  return "(unnamed)";
}

function taskLines(content: unknown): string {
  if (!Array.isArray(content)) return contentText(content);
  return content
    .filter((task) => isRecord(task))
    .map(
      (task) =>
        `- [${textOf(task["status"])}] ${textOf(task["subject"]) || textOf(task["content"])}`,
    )
    .join("\n");
}

/** The text in a string, in a list, or in the `content` or `text` of a record. */
function contentText(content: unknown): string {
  if (typeof content === "string") return content;
  if (Array.isArray(content)) {
    return content.flatMap((piece: unknown) => contentText(piece) || []).join("\n");
  }
  if (!isRecord(content)) return "";
  return textOf(content["text"]) || textOf(content["content"]);
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
