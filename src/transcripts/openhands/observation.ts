import type { OutputPart } from "../../core/message/index.ts";
import { contentParts, imagePart, isRecord } from "../content.ts";
import type { OpenHandsEvent } from "./event.ts";

/**
 * What an observation told the model: its content, for a command with what the shell noted around
 * it (the exit code is there), and the screenshots that came with it.
 */
export function observationOutput({ content, extras }: OpenHandsEvent): OutputPart[] {
  const shell = isRecord(extras["metadata"]) ? extras["metadata"] : {};
  const { prefix, suffix } = shell;
  const whole =
    typeof content === "string" ? `${asText(prefix)}${content}${asText(suffix)}` : content;
  return [...contentParts(whole), ...imageList(extras["image_urls"])];
}

/** Images by their addresses, as messages and observations list them. */
export function imageList(urls: unknown): OutputPart[] {
  if (!Array.isArray(urls)) return [];
  return urls.flatMap((url: unknown) => (typeof url === "string" ? [imagePart(url)] : []));
}

/**
 * The knowledge that a `recall` brought into the conversation, as text; empty when it found none.
 * The file has its fields and not the words in which OpenHands put them.
 */
export function recalledKnowledge({ extras }: OpenHandsEvent): string {
  const { repo_name, repo_directory, repo_instructions, runtime_hosts } = extras;
  const { additional_agent_instructions, date, microagent_knowledge } = extras;
  const hosts = isRecord(runtime_hosts) ? Object.keys(runtime_hosts).join(", ") : "";
  const facts = [
    labelled(
      "Repository",
      [asText(repo_name), asText(repo_directory)].filter(Boolean).join(" in "),
    ),
    labelled("Hosts", hosts),
    labelled("Date", asText(date)),
    asText(repo_instructions),
    asText(additional_agent_instructions),
    ...(Array.isArray(microagent_knowledge) ? microagent_knowledge.map(knowledge) : []),
  ];
  return facts.filter(Boolean).join("\n\n");
}

function knowledge(value: unknown): string {
  return isRecord(value) ? asText(value["content"]) : "";
}

function labelled(label: string, value: string): string {
  return value === "" ? "" : `${label}: ${value}`;
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : "";
}
