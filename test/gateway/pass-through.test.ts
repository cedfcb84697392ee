import * as http from "node:http";
import * as zlib from "node:zlib";
import { describe, expect, it, vi } from "vitest";
import { startGateway } from "../../src/gateway/server.ts";
import type { LogEntry } from "../../src/gateway/options.ts";
import { gatewayForTest, rawRequest, rawUpstream, sha256 } from "./raw-upstream.ts";

/** Numbers, escapes, an order of keys and spaces that no second serialisation gives again. */
const ODD =
  '{ "model":"m","big":12345678901234567890,"one":1.0,"e":1e5,"z":1,\n "a":"\\u00e9\\/\\ud83d\\ude00é",' +
  '"messages":[ {"role" :"user","content":"hi"} ],"unknown":{"x":null} , "max_tokens":10}\n';

const CALLS = [
  "/v1/messages?beta=true",
  "/v1/messages/count_tokens",
  "/v1/chat/completions",
  "/v1/responses",
  "/v1/files",
  "/v1/messages/batches",
];

function ok(response: http.ServerResponse, text = "{}"): void {
  response.setHeader("content-type", "application/json");
  response.end(text);
}

describe("a request without an edit", () => {
  it.each(CALLS)("goes to %s byte for byte", async (path) => {
    const upstream = await rawUpstream((_, response) => ok(response));
    const { url } = await gatewayForTest(upstream);
    const headers = { "anthropic-beta": "b-2,a-1", Authorization: "Bearer k", "X-Odd": "1" };
    await rawRequest(url + path, { method: "POST", headers, body: ODD });
    const [request] = upstream.requests;
    expect(request?.target).toBe(path);
    expect(sha256(request?.body ?? "")).toBe(sha256(ODD));
    expect(request?.headers).toMatchObject({
      "anthropic-beta": "b-2,a-1",
      authorization: "Bearer k",
      "content-length": String(Buffer.byteLength(ODD)),
    });
    expect(request?.names).toContain("X-Odd");
    expect(request?.headers.host).toBe(new URL(upstream.url).host);
  });

  it.each(["gzip", "br", "deflate", "zstd"])(
    "goes on packed with %s as it came",
    async (packing) => {
      const pack = {
        gzip: zlib.gzipSync,
        br: zlib.brotliCompressSync,
        deflate: zlib.deflateSync,
        // Node 20 has none; what is not understood must pass all the same.
        zstd: (text: string) => Buffer.from(`not really zstd ${text}`),
      }[packing];
      const packed = pack?.(ODD) ?? Buffer.alloc(0);
      const upstream = await rawUpstream((_, response) => ok(response));
      const { url } = await gatewayForTest(upstream);
      const headers = { "content-encoding": packing };
      await rawRequest(`${url}/v1/messages`, { method: "POST", headers, body: packed });
      expect(upstream.requests[0]?.headers["content-encoding"]).toBe(packing);
      expect(sha256(upstream.requests[0]?.body ?? "")).toBe(sha256(packed));
    },
  );

  it("goes on where it cannot be looked into: a bomb, torn JSON, no UTF-8, too large", async () => {
    const upstream = await rawUpstream((_, response) => ok(response));
    const limits = { maxBodyBytes: 100_000 };
    const { url, metrics } = await gatewayForTest(upstream, { limits });
    const bomb = zlib.gzipSync(Buffer.alloc(5_000_000, 0x20));
    const bodies = [
      { body: bomb, headers: { "content-encoding": "gzip" } },
      { body: '{"messages":[', headers: {} },
      { body: Buffer.from([0x7b, 0xff, 0xfe, 0x7d]), headers: {} },
      { body: `{"messages":[],"x":"${"y".repeat(300_000)}"}`, headers: {} },
    ];
    for (const [at, { body, headers }] of bodies.entries()) {
      const answer = await rawRequest(`${url}/v1/messages`, { method: "POST", headers, body });
      expect(answer.status).toBe(200);
      expect(metrics.counted("failed_open")).toBe(at + 1);
      expect(sha256(upstream.requests.at(-1)?.body ?? "")).toBe(sha256(body));
    }
    const chunked = { "transfer-encoding": "chunked" };
    const large = "z".repeat(250_000);
    const request = { method: "POST", headers: chunked, body: large };
    await rawRequest(`${url}/v1/messages`, request);
    expect(sha256(upstream.requests.at(-1)?.body ?? "")).toBe(sha256(large));
    expect(metrics.counted("failed_open")).toBe(bodies.length + 1);
  });

  it("passes probes, other methods and their queries, to the provider that is meant", async () => {
    const anthropic = await rawUpstream((_, response) => response.writeHead(204).end());
    const openai = await rawUpstream((_, response) => ok(response));
    const { url } = await gatewayForTest(anthropic, { openai: `${openai.url}/own/v1` });
    await rawRequest(`${url}/`, { method: "HEAD" });
    await rawRequest(`${url}/v1/models?limit=2`, { headers: { "x-api-key": "k" } });
    await rawRequest(`${url}/v1/models?limit=3`, { headers: { authorization: "Bearer k" } });
    await rawRequest(`${url}/v1/files/f_1`, { method: "DELETE" });
    expect(anthropic.requests.map(({ method, target }) => `${method} ${target}`)).toEqual([
      "HEAD /",
      "GET /v1/models?limit=2",
    ]);
    expect(openai.requests.map(({ method, target }) => `${method} ${target}`)).toEqual([
      "GET /own/v1/models?limit=3",
      "DELETE /own/v1/files/f_1",
    ]);
  });

  it("is sent without the headers of its connection, and without those to the gateway", async () => {
    const upstream = await rawUpstream((_, response) => ok(response));
    const { url } = await gatewayForTest(upstream, { token: "secret" });
    const headers = {
      connection: "close, x-of-this-hop",
      "x-of-this-hop": "1",
      "x-longhaul-token": "secret",
      "x-longhaul-conversation": "c",
      te: "trailers",
      "x-kept": "yes",
    };
    await rawRequest(`${url}/v1/messages`, { method: "POST", headers, body: ODD });
    const sent = upstream.requests[0]?.headers ?? {};
    expect(sent["x-kept"]).toBe("yes");
    expect(Object.keys(sent).filter((name) => /longhaul|hop|^te$/.test(name))).toEqual([]);
  });
});

describe("an answer", () => {
  it("comes with its status, words, headers and body as they are", async () => {
    const text = '{"type":"error","error":{"type":"rate_limit_error","message":"slow down"}}';
    const upstream = await rawUpstream((_, response) => {
      response.sendDate = false;
      const headers = ["Retry-After", "7", "Request-Id", "req_1", "X-A", "1", "X-A", "2"];
      response.writeHead(429, "Slow Down", [...headers, "Content-Type", "application/json"]);
      response.end(text);
    });
    const { url } = await gatewayForTest(upstream);
    const answer = await rawRequest(`${url}/v1/messages`, { method: "POST", body: ODD });
    expect(answer).toMatchObject({ status: 429, message: "Slow Down" });
    expect(answer.headers).toMatchObject({ "retry-after": "7", "request-id": "req_1" });
    expect(answer.names.filter((name) => name === "X-A")).toHaveLength(2);
    expect(answer.body.toString()).toBe(text);
    expect(answer.headers.date).toBeUndefined();
  });

  it("streams as it comes, and stops when the client goes", async () => {
    let closed = false;
    const upstream = await rawUpstream((_, response, incoming) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write("event: message_start\r\ndata: {}\r\n\r\n");
      incoming.socket.on("close", () => (closed = true));
    });
    const { url, metrics } = await gatewayForTest(upstream);
    const [request, first] = await new Promise<[http.ClientRequest, string]>((resolve) => {
      const made = http.request(`${url}/v1/files`, { method: "POST" }, (answer) =>
        answer.once("data", (piece: Buffer) => resolve([made, piece.toString()])),
      );
      made.end(ODD);
    });
    expect(first).toBe("event: message_start\r\ndata: {}\r\n\r\n");
    request.destroy();
    await vi.waitFor(() => expect(closed).toBe(true));
    await vi.waitFor(() => expect(metrics.active()).toBe(0));
  });

  it("is cut where the provider's is cut", async () => {
    const upstream = await rawUpstream((_, response) => {
      response.writeHead(200, { "content-length": "100" });
      response.write("half", () => response.destroy());
    });
    const { url } = await gatewayForTest(upstream);
    await expect(rawRequest(`${url}/v1/models`)).rejects.toThrow(/aborted|hang up/);
  });

  it("is read no faster than the client reads it", async () => {
    let written = 0;
    const upstream = await rawUpstream((_, response) => {
      const more = (): void => {
        for (let isRoom = true; isRoom && written < 400e6; written += 1e6) {
          isRoom = response.write(Buffer.alloc(1e6));
        }
      };
      response.on("drain", more);
      more();
    });
    const { url } = await gatewayForTest(upstream);
    const request = http.get(`${url}/v1/files/f/content`, (answer) => answer.pause());
    let before = -1;
    await vi.waitFor(
      () => {
        const now = written;
        const isStill = now === before && now > 0;
        before = now;
        expect(isStill).toBe(true);
      },
      { interval: 200, timeout: 30_000 },
    );
    expect(written).toBeLessThan(100e6);
    request.destroy();
  });
});

describe("what does not go to a provider", () => {
  it("is refused in a sentence: upgrades, proxies' targets, other hosts, missing tokens", async () => {
    const upstream = await rawUpstream((_, response) => ok(response));
    const { url } = await gatewayForTest(upstream, { token: "secret" });
    const token = { "x-longhaul-token": "secret" };
    const upgraded = await rawRequest(`${url}/v1/responses`, {
      headers: { connection: "Upgrade", upgrade: "websocket" },
    });
    expect(upgraded.status).toBe(426);
    const target = await rawRequest(url, {
      path: "http://example.com/v1/messages",
      headers: token,
    });
    expect(target.status).toBe(400);
    const other = await rawRequest(`${url}/v1/models`, {
      headers: { ...token, host: "evil.example" },
    });
    expect(other.status).toBe(403);
    for (const wrong of [{}, { "x-longhaul-token": "secre" }]) {
      const { status, body } = await rawRequest(`${url}/v1/models`, { headers: wrong });
      expect(status).toBe(401);
      expect(body.toString()).toContain("x-longhaul-token");
    }
    expect(upstream.requests).toEqual([]);
  });

  it("says so where the provider is not there, in the form of the API", async () => {
    const gone = await gatewayForTest({ url: "http://127.0.0.1:1" });
    const one = await rawRequest(`${gone.url}/v1/messages`, { method: "POST", body: ODD });
    expect(JSON.parse(one.body.toString())).toMatchObject({
      type: "error",
      error: { type: "api_error", message: expect.stringContaining("could not be reached") },
    });
    const other = await rawRequest(`${gone.url}/v1/responses`, { method: "POST", body: ODD });
    expect(other.status).toBe(502);
    expect(JSON.parse(other.body.toString())).toMatchObject({ error: { code: null } });
  });

  it("says so where a limit is reached: headers, requests at once, silence", async () => {
    const upstream = await rawUpstream(() => undefined);
    const limits = { maxStreams: 1, maxHeaderBytes: 8_192, idleMs: 300 };
    const { url } = await gatewayForTest(upstream, { limits });
    const large = await rawRequest(`${url}/v1/models`, {
      headers: { "x-large": "y".repeat(20_000) },
    });
    expect(large.status).toBe(431);
    const waiting = rawRequest(`${url}/v1/models`);
    await vi.waitFor(() => expect(upstream.requests).toHaveLength(1));
    const busy = await rawRequest(`${url}/v1/models`);
    expect(busy).toMatchObject({ status: 503, headers: { "retry-after": "5" } });
    expect((await waiting).status).toBe(504);
  });

  it("is its own health and figures", async () => {
    const upstream = await rawUpstream((_, response) => ok(response));
    const { url } = await gatewayForTest(upstream);
    await rawRequest(`${url}/v1/models`);
    const health = await rawRequest(`${url}/healthz`);
    expect(JSON.parse(health.body.toString())).toMatchObject({ status: "ok", name: "longhaul" });
    const metrics = await rawRequest(`${url}/metrics`);
    expect(metrics.body.toString()).toContain("longhaul_gateway_requests_total 1\n");
    expect(metrics.body.toString()).toContain("longhaul_gateway_prefix_violations_total 0\n");
  });
});

describe("the gateway", () => {
  it("listens to other machines only with a token, and sends to http(s) only", async () => {
    await expect(startGateway({ host: "0.0.0.0", port: 0 })).rejects.toThrow(
      /LONGHAUL_GATEWAY_TOKEN/,
    );
    await expect(startGateway({ anthropic: "file:///etc" })).rejects.toThrow(/no address/);
    await expect(startGateway({ port: 1.5 })).rejects.toThrow(/whole number/);
  });

  it("lets answers end before it closes", async () => {
    let finish = (): void => undefined;
    const upstream = await rawUpstream((_, response) => {
      response.write("begun ");
      finish = () => response.end("ended");
    });
    const gateway = await gatewayForTest(upstream);
    const answer = rawRequest(`${gateway.url}/v1/models`);
    await vi.waitFor(() => expect(upstream.requests).toHaveLength(1));
    const closed = gateway.close();
    await expect(rawRequest(`${gateway.url}/healthz`)).rejects.toThrow(/ECONNREFUSED/);
    finish();
    expect((await answer).body.toString()).toBe("begun ended");
    await closed;
  });

  it("sends a request again that met a connection which the provider had just closed", async () => {
    const upstream = await rawUpstream((_, response, { socket }) => {
      response.end("{}", () => setImmediate(() => socket.destroy()));
    });
    const { url } = await gatewayForTest(upstream);
    for (let at = 0; at < 20; at++) {
      const { status } = await rawRequest(`${url}/v1/messages`, { method: "POST", body: ODD });
      expect(status).toBe(200);
    }
  });

  it("says nothing of credentials or content in its log", async () => {
    const entries: LogEntry[] = [];
    const log = (entry: LogEntry): void => void entries.push(entry);
    const gateway = await gatewayForTest({ url: "http://127.0.0.1:1" }, { log });
    const headers = { authorization: "Bearer sk-very-secret", "x-api-key": "sk-very-secret" };
    const body = '{"model":"m","messages":[{"role":"user","content":"my content"}]}';
    await rawRequest(`${gateway.url}/v1/messages`, { method: "POST", headers, body });
    expect(entries.length).toBeGreaterThan(0);
    expect(JSON.stringify(entries)).not.toMatch(/very-secret|my content/);
  });
});
