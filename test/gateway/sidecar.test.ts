import { describe, expect, it } from "vitest";
import type { Compressed } from "../../src/gateway/sidecar.ts";
import { gatewayForTest, rawRequest } from "./raw-upstream.ts";

const OUTPUT = `${"a line\n".repeat(20_000)}the release code is kingfisher\n${"a line\n".repeat(20_000)}`;

/** A history as LiteLLM sends it: messages of Chat Completions, or of Anthropic. */
function chat(steps: number): object[] {
  const list: object[] = [{ role: "user", content: "Read all." }];
  for (let at = 0; at < steps; at++) {
    const called = { name: "read", arguments: `{"at":${at}}` };
    list.push(
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: `c${at}`, type: "function", function: called }],
      },
      {
        role: "tool",
        tool_call_id: `c${at}`,
        content: at === 0 ? OUTPUT : `${at}: some text\n`.repeat(300),
      },
    );
  }
  return list;
}

async function sidecar() {
  const { url } = await gatewayForTest({ url: "http://127.0.0.1:9" }, { window: 16_000 });
  const headers = { authorization: "Bearer of-the-gateway-before" };
  return {
    async compress(messages: readonly object[]) {
      const body = JSON.stringify({ messages, model: "gpt-5" });
      const answer = await rawRequest(`${url}/v1/compress`, { method: "POST", headers, body });
      return { status: answer.status, answer: JSON.parse(answer.body.toString()) as Compressed };
    },
    async retrieve(hash: string, own = headers) {
      const { status, body } = await rawRequest(`${url}/v1/retrieve/${hash}`, { headers: own });
      return { status, text: body.toString() };
    },
  };
}

describe("a service beside another gateway", () => {
  it("gives back messages as they should go on, and the originals that they name", async () => {
    const { compress, retrieve } = await sidecar();
    const { status, answer } = await compress(chat(1));
    expect(status).toBe(200);
    const [hash = ""] = answer.ccr_hashes;
    expect(hash).toMatch(/^[0-9a-f]{24}$/);
    expect(JSON.stringify(answer.messages[2])).toContain(`hash=${hash}`);
    expect(answer.messages.slice(0, 2)).toEqual(chat(1).slice(0, 2));
    const original = await retrieve(`${hash}?query=kingfisher`);
    expect(original).toMatchObject({ status: 200 });
    expect(original.text).toContain("the release code is kingfisher");
    expect((await retrieve(hash)).text).toContain("original_content");

    for (const wrong of ["0".repeat(24), "..%2f..%2fx", "a", `${hash}0`]) {
      expect((await retrieve(wrong)).status).toBe(404);
    }
    expect((await retrieve(hash, { authorization: "Bearer another" })).status).toBe(404);
  });

  it("says the same for the same beginning, whatever follows", async () => {
    const { compress } = await sidecar();
    let before: readonly unknown[] = [];
    let edits = 0;
    for (let steps = 1; steps <= 30; steps += 1) {
      const { answer } = await compress(chat(steps));
      expect(answer.compression_ratio).toBeLessThanOrEqual(1);
      expect(answer.tokens_saved).toBe(answer.tokens_before - answer.tokens_after);
      const isSame =
        JSON.stringify(answer.messages.slice(0, before.length)) === JSON.stringify(before);
      if (!isSame) edits += 1;
      expect(isSame || answer.transforms_applied.length > 0).toBe(true);
      before = answer.messages;
    }
    expect(edits).toBeGreaterThan(0);
  });

  it("takes messages of Anthropic, and says what is no list of messages", async () => {
    const { compress } = await sidecar();
    const messages = [
      { role: "user", content: "Read." },
      { role: "assistant", content: [{ type: "tool_use", id: "t", name: "read", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: OUTPUT }] },
    ];
    const { answer } = await compress(messages);
    expect(JSON.stringify(answer.messages)).toMatch(/hash=[0-9a-f]{24}/);
    expect(JSON.stringify(answer.messages).length).toBeLessThan(OUTPUT.length / 2);
    expect((await compress([])).status).toBe(400);
  });
});
