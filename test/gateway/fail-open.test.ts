import { readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import * as zlib from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../cli/run-cli.ts";
import { runs } from "../property/runs.ts";
import { gatewayForTest, rawRequest, rawUpstream, sha256 } from "./raw-upstream.ts";

const ANSWER = '{"type":"message","role":"assistant","content":[{"type":"text","text":"ok"}]}';
const PATHS = [
  "/v1/messages",
  "/v1/messages/count_tokens",
  "/v1/chat/completions",
  "/v1/responses",
];

/** A result of a tool that is cut wherever it can be archived. */
function largeOutput(): string {
  const call = { type: "tool_use", id: "toolu_1", name: "read", input: {} };
  const result = {
    type: "tool_result",
    tool_use_id: "toolu_1",
    content: "a line\n".repeat(30_000),
  };
  const messages = [
    { role: "user", content: "Read it." },
    { role: "assistant", content: [call] },
    { role: "user", content: [result] },
  ];
  return JSON.stringify({ model: "m", max_tokens: 10, messages });
}

describe("whatever goes wrong in the gateway", () => {
  it("costs no request: bodies that are no conversation pass as they came", async () => {
    const upstream = await rawUpstream((_, response) => response.end(ANSWER));
    const { url, metrics } = await gatewayForTest(upstream);
    const list = fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.array(fc.jsonValue({ maxDepth: 4 })));
    const body = fc.record(
      {
        model: fc.jsonValue(),
        messages: list,
        input: list,
        system: list,
        tools: list,
        metadata: list,
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...PATHS), body, async (target, value) => {
        const text = JSON.stringify(value);
        const answer = await rawRequest(url + target, { method: "POST", body: text });
        expect(answer.status).toBe(200);
        expect(answer.body.toString()).toBe(ANSWER);
        expect(sha256(upstream.requests.at(-1)?.body ?? "")).toBe(sha256(text));
      }),
      { numRuns: runs(150, 3_000) },
    );
    expect(metrics.counted("unreachable")).toBe(0);
  });

  it("cuts nothing that it cannot keep", async () => {
    const upstream = await rawUpstream((_, response) => response.end(ANSWER));
    const file = path.join(temporaryFolder(), "a-file");
    writeFileSync(file, "");
    const { url } = await gatewayForTest(upstream, { archive: path.join(file, "archive") });
    const body = largeOutput();
    for (let at = 0; at < 2; at++) {
      const { status } = await rawRequest(`${url}/v1/messages`, { method: "POST", body });
      expect(status).toBe(200);
      expect(sha256(upstream.requests.at(-1)?.body ?? "")).toBe(sha256(body));
    }
  });

  it("reads what is packed, and passes an answer that is packed all the same", async () => {
    const packed = zlib.gzipSync(ANSWER);
    const upstream = await rawUpstream((_, response) => {
      response.setHeader("content-encoding", "gzip");
      response.end(packed);
    });
    const { url, metrics } = await gatewayForTest(upstream);
    const headers = { "content-encoding": "br" };
    const body = zlib.brotliCompressSync(largeOutput());
    const answer = await rawRequest(`${url}/v1/messages`, { method: "POST", headers, body });
    expect(sha256(answer.body)).toBe(sha256(packed));
    expect(metrics.counted("truncated")).toBe(1);
    const [request] = upstream.requests;
    expect(request?.headers["content-encoding"]).toBeUndefined();
    expect(request?.headers["accept-encoding"]).toBe("identity");
    expect(JSON.parse(request?.body.toString() ?? "")).toMatchObject({ model: "m" });
  });

  it("reads a journal whose last line was torn", async () => {
    const upstream = await rawUpstream((_, response) => response.end(ANSWER));
    const archive = temporaryFolder();
    const body = largeOutput();
    const send = async (): Promise<string> => {
      const { url } = await gatewayForTest(upstream, { archive });
      await rawRequest(`${url}/v1/messages`, { method: "POST", body });
      return upstream.requests.at(-1)?.body.toString() ?? "";
    };
    const first = await send();
    const [folder = ""] = readdirSync(archive);
    writeFileSync(path.join(archive, folder, "journal.jsonl"), '{"arrival":"x","con', {
      flag: "a",
    });
    expect(await send()).toBe(first);
    expect(first).not.toBe(body);
  });
});
