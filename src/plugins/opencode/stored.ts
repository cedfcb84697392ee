import { type Fields, fieldsOf, toJson } from "../../core/text/json.ts";
import { list, text } from "../../transcripts/lenient.ts";
import { createOpencodeIds } from "../../resume/opencode-ids.ts";
import { isMessage, type OpencodeMessage } from "./encode.ts";
import type { OpencodeInput } from "./host.ts";
import { within } from "./within.ts";

/** The messages of a session are there at once, or not at all. */
const WAIT_MS = 5_000;

/**
 * The list that opencode would make a request of: after a compaction its question, its summary, the
 * tail that was kept, and what came since. Empty where nobody gives the session's messages.
 */
export async function storedList(
  { client }: OpencodeInput,
  id: string,
): Promise<readonly OpencodeMessage[]> {
  const answer = await within(WAIT_MS, client?.session?.messages?.({ path: { id } }));
  const stored = list(fieldsOf(answer)["data"]).filter(isMessage);
  const at = stored.findLastIndex(isSummary);
  const asked = stored.findIndex(({ info }) => info["id"] === stored[at]?.info["parentID"]);
  if (asked < 0 || asked > at) return stored;
  const [question, summary] = [stored[asked], stored[at]] as [OpencodeMessage, OpencodeMessage];
  const marker = question.parts.find(({ type }) => type === "compaction");
  const start = text(marker?.["tail_start_id"]);
  const from = stored.findIndex(({ info }) => start !== undefined && info["id"] === start);
  const tail = from < 0 ? [] : stored.slice(from, asked);
  return [question, summary, ...tail, ...stored.slice(at + 1)];
}

/** Whether it is the summary of a compaction that was finished. */
export function isSummary({
  info: { summary, finish, error },
}: Pick<OpencodeMessage, "info">): boolean {
  return summary === true && typeof finish === "string" && (error ?? undefined) === undefined;
}

/** The place of a text. */
interface TextPlace {
  readonly sessionID: string;
  readonly messageID: string;
}

/** A part of a message that says this. */
export function textPart(text: string, place: TextPlace): Fields {
  return { id: createOpencodeIds(Date.now())("prt"), ...place, type: "text", text };
}

/** Adds a part to a message in opencode's database. Rejects where opencode does not take it. */
export async function storePart(
  { client }: OpencodeInput,
  part: Fields,
  { sessionID, messageID }: TextPlace,
): Promise<void> {
  const server = client?.session?._client;
  const request = server?.patch?.({
    url: "/session/{sessionID}/message/{messageID}/part/{partID}",
    path: { sessionID, messageID, partID: String(part["id"]) },
    body: part,
    headers: { "Content-Type": "application/json" },
  });
  const { data, error } = fieldsOf(await within(WAIT_MS, request));
  if (data === undefined)
    throw new Error(`opencode took no summary: ${toJson(error ?? "no answer")}`);
}
