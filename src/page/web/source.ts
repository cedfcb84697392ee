import type { ConversationRow, PageBody, PageData, Replay } from "../data.ts";

/** Where the page gets what it shows. */
export interface Source {
  /** The conversations that there are; none where there is only one, in this file. */
  conversations(): Promise<readonly ConversationRow[]>;
  data(id: string): Promise<PageData>;
  /** The texts of so many messages. */
  piece(id: string, piece: number): Promise<readonly PageBody[]>;
  /** The session as Longhaul would have kept it in a window; absent where nobody can work it out. */
  replay?: (id: string, window: number) => Promise<Replay>;
  /** Calls back whenever something is new, with the id of the conversation. */
  watch?: (heard: (id: string) => void, lost: (isLost: boolean) => void) => void;
}

/** Everything stands in this file. */
export function fileSource(): Source {
  const read = (name: string): unknown =>
    JSON.parse(document.getElementById(`longhaul-${name}`)?.textContent ?? "null");
  return {
    conversations: () => Promise.resolve([]),
    data: () => Promise.resolve(read("data") as PageData),
    piece: (_, piece) => Promise.resolve((read(String(piece)) ?? []) as PageBody[]),
  };
}

/** A server on this machine has it, for whoever knows the token behind the # of the address. */
export function serverSource(): Source {
  const headers = { authorization: `Bearer ${location.hash.slice(1)}` };
  const ask = async (path: string): Promise<unknown> => {
    const response = await fetch(`page/${path}`, { headers, cache: "no-store" });
    if (!response.ok) throw new Error(refusal(response.status, await response.text()));
    return response.json();
  };
  return {
    conversations: async () => (await ask("conversations")) as ConversationRow[],
    data: async (id) => (await ask(`data?id=${encodeURIComponent(id)}`)) as PageData,
    piece: async (id, piece) =>
      (await ask(`texts?id=${encodeURIComponent(id)}&piece=${piece}`)) as PageBody[],
    replay: async (id, window) =>
      (await ask(`replay?id=${encodeURIComponent(id)}&window=${window}`)) as Replay,
    watch: (heard, lost) => void follow(headers, heard, lost),
  };
}

function refusal(status: number, text: string): string {
  if (status === 401) {
    return "This address is not complete: open it with the token behind the #, as it was printed.";
  }
  return text || `The server answered ${status}.`;
}

const AGAIN_MS = 2_000;

/** Server-sent events by `fetch`: an EventSource cannot send a header, and a token is no part of a path. */
async function follow(
  headers: Readonly<Record<string, string>>,
  heard: (id: string) => void,
  lost: (isLost: boolean) => void,
): Promise<void> {
  for (;;) {
    try {
      const { ok, body } = await fetch("page/events", { headers, cache: "no-store" });
      if (!ok || body === null) return;
      lost(false);
      await readEvents(body, heard);
    } catch {
      // The server went away; it may come back.
    }
    lost(true);
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  }
}

async function readEvents(body: ReadableStream<Uint8Array>, heard: (id: string) => void) {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const lines = (rest + decoder.decode(value, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines)
      if (line.startsWith("data: ")) heard(JSON.parse(line.slice(6)) as string);
  }
}
