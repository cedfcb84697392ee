import { readdirSync, rmSync, writeFileSync } from "node:fs";
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

/** A history that is too long for a small window, of outputs that are short enough to arrive whole. */
function longHistory(steps: number): string {
  const messages: object[] = [{ role: "user", content: "Read all of it." }];
  for (let at = 0; at < steps; at++) {
    const id = `toolu_${at}`;
    const content = `${at}: a line of output\n`.repeat(100);
    messages.push(
      { role: "assistant", content: [{ type: "tool_use", id, name: "read", input: { at } }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: id, content }] },
    );
  }
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

  it("sends no edit that it cannot keep, says so, and edits when it can again", async () => {
    const upstream = await rawUpstream((_, response) => response.end(ANSWER));
    const folder = path.join(temporaryFolder(), "archive");
    writeFileSync(folder, "a file where a folder should be");
    const said: unknown[] = [];
    const { url, metrics } = await gatewayForTest(upstream, {
      archive: folder,
      window: 8_000,
      log: ({ code }) => void said.push(code),
    });
    const body = longHistory(30);
    const send = async (text: string): Promise<string> => {
      await rawRequest(`${url}/v1/messages`, { method: "POST", body: text });
      return upstream.requests.at(-1)?.body.toString() ?? "";
    };
    expect(sha256(await send(body))).toBe(sha256(body));
    expect(sha256(await send(longHistory(31)))).toBe(sha256(longHistory(31)));
    expect(said).toContain("archive-failed");
    expect(metrics.counted("planned_edits")).toBe(0);
    expect(metrics.counted("failed_open")).toBeGreaterThan(0);
    rmSync(folder);
    expect((await send(longHistory(32))).length).toBeLessThan(body.length / 2);
    expect(metrics.counted("planned_edits")).toBe(1);
    expect(metrics.counted("prefix_violations")).toBe(0);
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

  it("says so where a body is packed in a way that it cannot read, and passes that", async () => {
    const upstream = await rawUpstream((_, response) => response.end(ANSWER));
    const codes: unknown[] = [];
    const { url, metrics } = await gatewayForTest(upstream, {
      log: ({ code }) => void codes.push(code),
    });
    for (const packing of ["snappy", "zstd"]) {
      const headers = { "content-encoding": packing };
      await rawRequest(`${url}/v1/messages`, {
        method: "POST",
        headers,
        body: "not packed at all",
      });
      expect(upstream.requests.at(-1)?.body.toString()).toBe("not packed at all");
      expect(upstream.requests.at(-1)?.headers["content-encoding"]).toBe(packing);
    }
    expect(codes.filter((code) => code === "unreadable-body")).toHaveLength(2);
    expect(metrics.counted("failed_open")).toBe(2);
  });

  it("tells plugins what it does, as the library does", async () => {
    const upstream = await rawUpstream((_, response) => response.end(ANSWER));
    const heard = new Set<string>();
    const plugin = {
      name: "ears",
      onEvent: ({ name }: { readonly name: string }): void => void heard.add(name),
    };
    const { url } = await gatewayForTest(upstream, { window: 8_000, plugins: [plugin] });
    await rawRequest(`${url}/v1/messages`, { method: "POST", body: longHistory(30) });
    expect([...heard]).toEqual(expect.arrayContaining(["edited", "prepared"]));
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
