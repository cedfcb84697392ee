import { createHash } from "node:crypto";
import * as http from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { temporaryFolder } from "../cli/run-cli.ts";
import { type Gateway, startGateway } from "../../src/gateway/server.ts";
import type { GatewayOptions } from "../../src/gateway/options.ts";

/** A request as it came over the wire. */
export interface RawRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly names: readonly string[];
  readonly body: Buffer;
}

export interface RawUpstream {
  readonly url: string;
  readonly requests: readonly RawRequest[];
}

export type Answerer = (
  request: RawRequest,
  response: http.ServerResponse,
  incoming: http.IncomingMessage,
) => void;

/** A server that keeps what came byte for byte, and answers as it is told. */
export async function rawUpstream(answer: Answerer): Promise<RawUpstream> {
  const requests: RawRequest[] = [];
  const take = async (incoming: http.IncomingMessage): Promise<RawRequest> => {
    const body = await bytesOf(incoming);
    const { method = "", url = "", headers, rawHeaders } = incoming;
    const names = rawHeaders.filter((_, at) => at % 2 === 0);
    return { method, target: url, headers, names, body };
  };
  const serve = async (
    incoming: http.IncomingMessage,
    response: http.ServerResponse,
  ): Promise<void> => {
    const request = await take(incoming);
    requests.push(request);
    answer(request, response, incoming);
  };
  const server = http.createServer((incoming, response) => {
    // A client may go away before all of its request is here.
    serve(incoming, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(() => resolve()));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

/** A gateway on a free port, before this upstream; it ends with the test. */
export async function gatewayForTest(
  upstream: { readonly url: string },
  options: GatewayOptions = {},
): Promise<Gateway> {
  const gateway = await startGateway({
    port: 0,
    anthropic: upstream.url,
    openai: `${upstream.url}/v1`,
    archive: temporaryFolder(),
    ...options,
  });
  onTestFinished(async () => {
    gateway.abort();
    await gateway.close();
  });
  return gateway;
}

export function sha256(bytes: Uint8Array | string): string {
  return createHash("sha256").update(bytes).digest("hex");
}

export interface RawAnswer {
  readonly status: number;
  readonly message: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly names: readonly string[];
  readonly body: Buffer;
}

/** A request with nothing added to it but what HTTP needs. */
export function rawRequest(
  url: string,
  options: http.RequestOptions & { readonly body?: string | Uint8Array } = {},
): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const { body, ...rest } = options;
    const isFramed = body === undefined || "transfer-encoding" in (rest.headers ?? {});
    const length = isFramed ? {} : { "content-length": Buffer.byteLength(body) };
    const headers = { ...length, ...(rest.headers as object) };
    const request = http.request(url, { ...rest, headers, agent: false }, (answer) => {
      const { statusCode: status = 0, statusMessage: message = "", headers: own } = answer;
      const names = answer.rawHeaders.filter((_, at) => at % 2 === 0);
      const taken = bytesOf(answer).then((bytes) => ({
        status,
        message,
        headers: own,
        names,
        body: bytes,
      }));
      taken.then(resolve, reject);
    });
    request.on("error", reject);
    request.end(body);
  });
}

async function bytesOf(message: http.IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of message) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}
