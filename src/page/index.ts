import { readAssets } from "./assets.ts";
import { createLive, type LiveRequest } from "./live.ts";
import { servePage } from "./serve.ts";

export type { LiveRequest } from "./live.ts";

/** A page that shows conversations while they go on. */
export interface LivePage {
  /** For a browser on this machine; it holds the token without which nothing is shown. */
  readonly url: string;
  /** Takes in the next request of a conversation, as it goes to the model. */
  note(request: LiveRequest): void;
  /** Ends the page; browsers keep what they show. */
  close(): void;
}

/**
 * Serves a page of an agent's conversations on this machine: what fills the window, request by request,
 * and every edit. What it shows is kept in memory. Rejects with `ContextError` code `invalid-options`
 * where it cannot listen.
 * @param options `port`: where it listens. Default: any that is free.
 */
export async function openPage(options: { readonly port?: number } = {}): Promise<LivePage> {
  const live = createLive();
  const server = await servePage(live.source, readAssets(), options.port);
  return {
    url: server.url,
    note: (request) => live.note(request),
    close: () => server.close(),
  };
}
