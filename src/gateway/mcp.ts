import { createMcpHandler } from "@modelcontextprotocol/server";
import type { Archive } from "../archive/archive.ts";
import { createMcpServer } from "../mcp/server.ts";
import { archiveTools, windowTool } from "../mcp/tools.ts";
import { pairsOf, type RawHeaders } from "./headers.ts";
import type { ConversationReceipt } from "./metrics.ts";

export interface McpRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: RawHeaders;
  readonly body: string;
}

export interface McpView {
  readonly archive: Archive;
  /** The beginning of their names. */
  readonly prefix: string;
  readonly version: string;
  readonly receipts: () => readonly ConversationReceipt[];
}

/** Recall, search and window over MCP's streamable HTTP, without a session: each request is whole. */
export async function serveMcp(
  { method, url, headers, body }: McpRequest,
  { archive, prefix, version, receipts }: McpView,
): Promise<Response> {
  const tools = archiveTools({ scopeOf: ({ input }) => ({ archive, input }) });
  const own = (): ConversationReceipt[] =>
    receipts().filter(({ conversation }) => conversation.startsWith(prefix));
  const window = windowTool(() => Promise.resolve(windowText(own())));
  const handler = createMcpHandler(() => createMcpServer(version, [...tools, window]));
  const hasBody = method !== "GET" && method !== "HEAD";
  const request = new Request(url, {
    method,
    headers: pairsOf(headers).filter(
      ([name]) => !/^(?:host|connection|content-length)$/i.test(name),
    ),
    ...(hasBody && { body }),
  });
  return handler.fetch(request);
}

function windowText(receipts: readonly ConversationReceipt[]): string {
  if (receipts.length === 0) return "No request of this conversation has been answered yet.";
  return receipts
    .map(({ conversation, model, requests, latest, savedTokens }) => {
      const { input = 0, cacheRead = 0, cacheWrite = 0 } = latest ?? {};
      const tokens = input + cacheRead + cacheWrite;
      return `${conversation}: the newest of ${requests} requests to ${model} had ${tokens} input tokens; ${savedTokens} were not sent in all.`;
    })
    .join("\n");
}
