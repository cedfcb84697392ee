import type { ConversationRow, Found, PageBody, PageData, Replay } from "../data.ts";

/** The origin of all that the page shows. */
export interface Source {
  /** The conversations that there are; none where there is only one, in this file. */
  conversations(): Promise<readonly ConversationRow[]>;
  /** `progress` hears the share that has come. */
  data(id: string, progress?: (share: number) => void): Promise<PageData>;
  piece(id: string, piece: number): Promise<readonly PageBody[]>;
  /** An original of the archive; `undefined` where it is gone. */
  original(id: string, handle: string): Promise<string | undefined>;
  /** A text in all conversations and their originals; absent where the page itself has to look. */
  search?: (query: string) => Promise<readonly Found[]>;
  /** The conversation as a file of its own; absent where it is one. */
  export?: (id: string) => Promise<Blob>;
  /** The session as Longhaul would have kept it in a window; absent where nobody can work it out. */
  replay?: (id: string, window: number) => Promise<Replay>;
  /** Calls back whenever something is new, with the id of the conversation. */
  watch?: (heard: (id: string) => void, lost: (isLost: boolean) => void) => void;
}

/** Everything stands in this file; the browser may still be reading the end of it. */
export function fileSource(): Source {
  const read = (name: string): unknown =>
    JSON.parse(document.getElementById(`longhaul-${name}`)?.textContent ?? "null");
  const arrived = async (name: string): Promise<unknown> => {
    while (!isRead(name)) await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    return read(name);
  };
  return {
    conversations: () => Promise.resolve([]),
    data: () => Promise.resolve(read("data") as PageData),
    piece: async (_, piece) => ((await arrived(String(piece))) ?? []) as PageBody[],
    original: async (_, handle) => ((await arrived(handle)) ?? undefined) as string | undefined,
  };
}

const LOOK_MS = 50;

/** An element is whole once another one stands behind it. */
function isRead(name: string): boolean {
  if (document.readyState !== "loading") return true;
  return document.getElementById(`longhaul-${name}`)?.nextElementSibling != null;
}

/** A server on this machine; the token stands behind the # of the address. */
export function serverSource(): Source {
  const headers = { authorization: `Bearer ${location.hash.slice(1)}` };
  const fetched = async (path: string): Promise<Response> => {
    const response = await fetch(`page/${path}`, { headers, cache: "no-store" });
    if (!response.ok) throw new Error(refusal(response.status, await response.text()));
    return response;
  };
  const ask = async (path: string): Promise<unknown> => (await fetched(path)).json();
  const of = (id: string): string => `id=${encodeURIComponent(id)}`;
  return {
    conversations: async () => (await ask("conversations")) as ConversationRow[],
    data: async (id, progress = () => undefined) => {
      const text = await textOf(await fetched(`data?${of(id)}`), progress);
      return JSON.parse(text) as PageData;
    },
    piece: async (id, piece) => (await ask(`texts?${of(id)}&piece=${piece}`)) as PageBody[],
    original: async (id, handle) => {
      const { text } = (await ask(`original?${of(id)}&handle=${handle}`)) as { text?: string };
      return text;
    },
    search: async (query) => (await ask(`search?q=${encodeURIComponent(query)}`)) as Found[],
    export: async (id) => (await fetched(`export?${of(id)}`)).blob(),
    replay: async (id, window) => (await ask(`replay?${of(id)}&window=${window}`)) as Replay,
    watch: (heard, lost) => void follow(headers, heard, lost),
  };
}

/** A text as it comes, told by how much of it has come. */
async function textOf(response: Response, progress: (share: number) => void): Promise<string> {
  const whole = Number(response.headers.get("content-length"));
  if (response.body === null || !(whole > 0)) return response.text();
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  const pieces: string[] = [];
  let come = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return pieces.join("");
    pieces.push(value);
    come += value.length;
    progress(Math.min(1, come / whole));
  }
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
