import { readAssets } from "./assets.ts";
import { createLive, type LiveRequest } from "./live.ts";
import type { Originals } from "./originals.ts";
import { servePage } from "./serve.ts";

export type { LiveRequest } from "./live.ts";
export type { Originals } from "./originals.ts";

/** A page that shows conversations while they go on. */
export interface LivePage {
  /** For a browser on this machine; it holds the token without which nothing is shown. */
  readonly url: string;
  /** Takes in the next request of a conversation, as it goes to the model. */
  note(request: LiveRequest): void;
  /** Ends the page; browsers keep what they show. */
  close(): void;
}

/** The port of a page, and the archive of its originals. */
export interface LivePageOptions {
  readonly port?: number;
  readonly archive?: Originals;
}

/**
 * Serves a page of an agent's conversations on this machine: what fills the window, request by
 * request, and every edit. Everything that it shows is kept in memory. Rejects with `ContextError`
 * code `invalid-options` where it cannot listen.
 * @param options `port`: the port it listens on. Default: any that is free. `archive`: that of the agent's
 *   context; what was truncated or pruned is shown and searched in it. Default: none.
 */
export async function openPage(options: LivePageOptions = {}): Promise<LivePage> {
  const live = createLive(options.archive);
  const server = await servePage(live.source, readAssets(), options.port);
  return {
    url: server.url,
    note: (request) => live.note(request),
    close: () => server.close(),
  };
}
