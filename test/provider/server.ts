import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createPromptCache } from "./cache.ts";
import { handleRequest } from "./handle.ts";
import { createLog } from "./log.ts";
import type { World } from "./protocol.ts";
import { createResponseStore } from "./responses/store.ts";
import { createCounter } from "./tokens.ts";
import type { Upstream, UpstreamOptions } from "./types.ts";

const DEFAULT_WINDOW = 200_000;
/** What follows the prefix of an id, as a number with leading zeros. */
const ID_DIGITS = 24;

/**
 * Starts a server on a free port of the loopback interface that answers as `script` says and
 * refuses what the real servers refuse. `close` ends open connections.
 */
export async function startUpstream(options: UpstreamOptions): Promise<Upstream> {
  const world = createWorld(options);
  const log = createLog();
  let turn = 0;
  const server = createServer((request, response) => {
    const exchange = { request, response, log, requestId: world.newId("req_") };
    handleRequest(exchange, world, () => turn++).catch((error: unknown) => {
      response.destroy(error instanceof Error ? error : undefined);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests: log.requests,
    get totals() {
      return log.totals();
    },
    get rejected() {
      return log.refusals().length;
    },
    get refusals() {
      return log.refusals();
    },
    close: () => closeServer(server),
  };
}

function createWorld(options: UpstreamOptions): World {
  const ids = new Map<string, number>();
  const { window = DEFAULT_WINDOW } = options;
  return {
    options,
    counter: createCounter(),
    cache: createPromptCache(),
    responses: createResponseStore(),
    secret: "a secret of this server",
    newId(prefix) {
      const count = (ids.get(prefix) ?? 0) + 1;
      ids.set(prefix, count);
      return prefix + String(count).padStart(ID_DIGITS, "0");
    },
    window: (model) => (typeof window === "number" ? window : window(model)),
  };
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.close((error) => (error === undefined ? resolve() : reject(error)));
    server.closeAllConnections();
  });
}
