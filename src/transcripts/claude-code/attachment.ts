import type { Message, Part } from "../../core/message/index.ts";
import { type Fields, fieldsOf } from "../../core/text/json.ts";
import { textParts, UNKNOWN_TYPE } from "../content.ts";
import { records, text } from "../lenient.ts";
import { contentBlocks } from "./content.ts";

/** Hook outputs reach the model at these events only. */
const SENT_HOOKS: ReadonlySet<unknown> = new Set(["SessionStart", "UserPromptSubmit"]);

/**
 * The model was told each kind of attachment in a wording of the program that files do not hold;
 * here every kind gets one plain line that says what follows.
 */
const RENDERERS: Readonly<Record<string, (attachment: Fields) => string>> = {
  directory: (it) => titled(`Folder ${name(it)}:`, it["content"]),
  compact_file_reference: (it) =>
    `The file ${name(it)} was read before the compaction; its content is not repeated here.`,
  edited_text_file: (it) => titled(`The file ${name(it)} was changed meanwhile:`, it["snippet"]),
  nested_memory: (it) => titled(`Instructions in ${name(it)}:`, it["content"]),
  task_reminder: (it) => titled("Current tasks:", taskLines(it["content"])),
  todo_reminder: (it) => titled("Current todo list:", taskLines(it["content"])),
  skill_listing: (it) => titled("Available skills:", it["content"]),
  hook_additional_context: (it) => titled(`A hook (${name(it)}) adds:`, it["content"]),
  hook_success: (it) =>
    SENT_HOOKS.has(it["hookEvent"]) ? titled(`A hook (${name(it)}) says:`, it["content"]) : "",
  deferred_tools_delta: (it) => delta("tools", it["addedLines"], it),
  agent_listing_delta: (it) => delta("agents", it["addedLines"], it),
  mcp_instructions_delta: (it) => delta("instructions of MCP servers", it["addedBlocks"], it),
  command_permissions: () => "",
};

/**
 * An attachment line as the user message that it was sent as; without parts when it was not sent.
 * A queued command is a prompt that the person typed while the agent worked; all else is injected.
 */
export function attachmentMessages(attachment: Fields): readonly Message[] {
  const { type, prompt, isMeta, commandMode = "prompt" } = attachment;
  const { kind = "human" } = fieldsOf(attachment["origin"]);
  const isTyped = type === "queued_command";
  const parts = isTyped ? contentBlocks(prompt) : attachedParts(attachment);
  const byPerson = isTyped && kind === "human" && isMeta !== true && commandMode === "prompt";
  return [{ role: "user", parts, kind: byPerson ? undefined : "injected" }];
}

function attachedParts(attachment: Fields): readonly Part[] {
  const { content } = attachment;
  const kind = text(attachment["type"]) ?? "";
  if (kind === "file") return fileParts(attachment);
  const render = Object.hasOwn(RENDERERS, kind) ? RENDERERS[kind] : undefined;
  return textParts(render === undefined ? contentText(content) : render(attachment));
}

function fileParts(attachment: Fields): readonly Part[] {
  const filename = name(attachment);
  const { file } = fieldsOf(attachment["content"]);
  const { base64, type, content } = fieldsOf(file);
  const data = text(base64);
  if (data) return [{ type: "file", mediaType: text(type) || UNKNOWN_TYPE, filename, data }];
  const said = file === undefined ? attachment["content"] : text(content);
  return textParts(titled(`File ${filename}:`, said));
}

function delta(what: string, news: unknown, { removedNames: gone }: Fields): string {
  const told = [titled(`New ${what}:`, news), titled(`No longer available ${what}:`, gone)];
  return told.filter((line) => line !== "").join("\n");
}

function titled(title: string, content: unknown): string {
  const said = contentText(content);
  return said === "" ? "" : `${title}\n${said}`;
}

function name({ filename, path, hookName, displayPath }: Fields): string {
  return (
    [filename, path, hookName, displayPath].map(text).find((it) => it !== undefined) ?? "(unnamed)"
  );
}

function taskLines(content: unknown): unknown {
  if (!Array.isArray(content)) return content;
  return records(content).map(
    (task) =>
      `- [${text(task["status"]) ?? ""}] ${text(task["subject"]) || (text(task["content"]) ?? "")}`,
  );
}

/** The text in a string, in a list, or in the `content` or `text` of a record. */
function contentText(content: unknown): string {
  if (typeof content === "string") return content;
  if (Array.isArray(content)) {
    return content.flatMap((piece: unknown) => contentText(piece) || []).join("\n");
  }
  const fields = fieldsOf(content);
  return text(fields["text"]) || (text(fields["content"]) ?? "");
}
