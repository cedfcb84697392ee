import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../property/runs.ts";
import { behind, history, items, type Message, OK, STEPS, TOOL } from "./behind.ts";

const MARK = { cache_control: { type: "ephemeral" } };

/** How long each breakpoint lives, in the order in which they stand. */
function livesIn(text: string): string {
  const marks = text.matchAll(/"cache_control":(\{[^}]*\})/g);
  return [...marks].map(([, mark = ""]) => (mark.includes("1h") ? "long" : "short")).join(" ");
}

/** The first so many breakpoints live for an hour. */
function withLongOnes(text: string, count: number): string {
  let at = 0;
  return text.replaceAll('"type":"ephemeral"', (mark) =>
    at++ < count ? `${mark},"ttl":"1h"` : mark,
  );
}

describe("cache breakpoints in a history that is edited, wherever a client has them", () => {
  it("are never more than four, nor gone, and none lives longer than one before it", async () => {
    const { send, failed } = await behind(OK);
    const place = fc.constantFrom<string | number>(
      "tools",
      "system",
      "tail",
      ...Array(2 * STEPS).keys(),
    );
    const places = fc.uniqueArray(place, { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(places, fc.nat(4), async (marked, long) => {
        const markAt = (at: string | number): object => (marked.includes(at) ? MARK : {});
        const messages = history(STEPS).map(({ role, content }, at) => {
          const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
          return { role, content: [{ ...blocks[0], ...markAt(at === 2 * STEPS ? "tail" : at) }] };
        });
        const tools = [{ ...TOOL, ...markAt("tools") }];
        const system = [{ type: "text", text: "s", ...markAt("system") }];
        const text = JSON.stringify({ model: "m", max_tokens: 500, tools, system, messages });
        const body = withLongOnes(text, long);
        const { sent } = await send("/v1/messages", body);
        expect(sent.length).toBeLessThan(body.length / 2);
        expect(livesIn(sent)).toMatch(/^(?=.)(?:long ?)*(?:short ?)*$/);
        expect(livesIn(sent).split(" ").length).toBeLessThanOrEqual(4);
        const last = (JSON.parse(sent) as { messages: Message[] }).messages.at(-1);
        expect(livesIn(JSON.stringify(last)) !== "").toBe(marked.includes("tail"));
      }),
      { numRuns: runs(20, 300) },
    );
    expect(failed()).toBe(0);
  });
});

/** As the provider wrote it: no serialiser writes these numbers and escapes. */
const SEARCHED =
  '{"type": "server_tool_use","id":"srvtoolu_1","name":"web_search","input":{"q":"caf\\u00e9","n":1.0}},' +
  '{"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[{"type":"web_search_result","url":"https:\\/\\/a.example","encrypted_content":"Eo8="}]},' +
  '{"type":"text","text":"It says so.","citations":[{"type":"web_search_result_location","encrypted_index":"Eo9=","cited_text":"so"}]}';
const PAUSED = `{"role":"assistant","content":[${SEARCHED},{"type":"server_tool_use","id":"srvtoolu_2","name":"code_execution","input":{"code":"1"}}]}`;

describe("server tools of the provider", () => {
  const list = history(STEPS).map((message) => JSON.stringify(message));
  const bodyOf = (...more: string[]): string =>
    `{"model":"m","max_tokens":500,"container":"container_1","tools":[${JSON.stringify(TOOL)},{"type":"web_search_20250305","name":"web_search","max_uses":2}],"messages":[${[...list, ...more].join(",")}]}`;

  it.each(["file", "tool"] as const)(
    "go back as they came in a turn that was paused, behind an edit, recall by %s",
    async (recall) => {
      const { send, failed } = await behind(OK, recall);
      const body = bodyOf(PAUSED);
      const { sent } = await send("/v1/messages", body);
      expect(sent.length).toBeLessThan(body.length / 2);
      expect(sent).toContain(`${PAUSED}]`);
      expect(sent).toContain('"container":"container_1"');
      expect(sent).toContain('{"type":"web_search_20250305","name":"web_search","max_uses":2}');
      // The turn ends, and the next one begins.
      const done = `{"role":"assistant","content":[{"type":"code_execution_tool_result","tool_use_id":"srvtoolu_2","content":{"stdout":"1"}}]}`;
      const next = await send(
        "/v1/messages",
        bodyOf(PAUSED, done, '{"role":"user","content":"?"}'),
      );
      expect(next.sent).toContain(`${PAUSED},${done}`);
      expect(failed()).toBe(0);
    },
  );

  const message = `{"type":"message","id":"msg_1","role":"assistant","content":[${SEARCHED}],"stop_reason":"pause_turn","usage":{"input_tokens":9,"output_tokens":1,"server_tool_use":{"web_search_requests":1}}}`;
  const start = message.replace(SEARCHED, "").replace('"pause_turn"', "null");
  const block = SEARCHED.slice(0, SEARCHED.indexOf(',{"type":"web_search_tool_result"'));
  const events = [
    `{"type":"message_start","message":${start}}`,
    `{"type":"content_block_start","index":0,"content_block":${block}}`,
    '{"type":"content_block_stop","index":0}',
    '{"type":"message_delta","delta":{"stop_reason":"pause_turn"},"usage":{"output_tokens":1}}',
    '{"type":"message_stop"}',
  ];
  const stream = events.map((data) => `data: ${data}\n\n`).join("");

  it.each([
    ["whole", message, "file"],
    ["whole", message, "tool"],
    ["as a stream", stream, "file"],
  ] as const)(
    "pause an answer that comes %s, and not a byte is another: %#",
    async (_, said, recall) => {
      const { send } = await behind(said, recall);
      const { answer } = await send("/v1/messages", bodyOf());
      expect(answer).toBe(said);
    },
  );
});

describe("files and batches", () => {
  const batch = JSON.stringify({
    requests: [
      {
        custom_id: "a",
        params: { model: "m", max_tokens: 9, tools: [TOOL], messages: history(30) },
      },
    ],
  });
  const upload = Buffer.concat([
    Buffer.from("--b\r\ncontent-disposition: form-data; name=file\r\n\r\n"),
    Buffer.from([0, 255, 254, 13, 10, 195]),
    Buffer.from("\r\n--b--\r\n"),
  ]);

  it.each([
    ["/v1/messages/batches", batch],
    ["/v1/batches", batch],
    ["/v1/messages/batches/b_1/cancel", "{}"],
    ["/v1/files", upload],
    ["/v1/files?purpose=batch", batch],
    ["/v1/responses/compact", JSON.stringify({ model: "m", input: items(30) })],
  ])("pass byte for byte, however long what is in them: %s", async (path, body) => {
    const { send, upstream } = await behind('{"id" : "x", "n":1.0}', "tool");
    const { sent, answer } = await send(path, body);
    expect(sent).toBe(Buffer.from(body).toString("latin1"));
    expect(upstream.requests.at(-1)?.target).toBe(path);
    expect(answer).toBe('{"id" : "x", "n":1.0}');
  });

  it("give their results line by line, as they are", async () => {
    const lines = '{"custom_id":"a","n":1.0}\n{"custom_id":"b"}\n';
    const { send } = await behind(lines, "tool");
    const { answer } = await send("/v1/messages/batches/b_1/results", "", "GET");
    expect(answer).toBe(lines);
  });
});

describe("compaction items of the Responses API", () => {
  const ITEM = '{"type" : "compaction","id":"cmp_1","encrypted_content":"gAAA\\/\\u002b=","n":1.0}';
  const TRIGGER = '{"type":"compaction_trigger" }';
  const list = items(STEPS).map((item) => JSON.stringify(item));
  const bodyOf = (input: readonly string[], more = ""): string =>
    `{"model":"m","tools":[],${more}"input":[${input.join(",")}]}`;
  const ANSWER = `{"id":"resp_1","object":"response","status":"completed","output":[${ITEM}],"usage":{"input_tokens":9,"output_tokens":1}}`;

  it.each([ITEM, ITEM.replace('"compaction"', '"context_compaction"')])(
    "stand at the head as they were, behind an edit: %s",
    async (item) => {
      const { send, failed } = await behind(ANSWER);
      const body = bodyOf([item, ...list]);
      const { sent } = await send("/v1/responses", body);
      expect(sent.length).toBeLessThan(body.length / 2);
      expect(sent).toContain(item);
      expect(failed()).toBe(0);
    },
  );

  it("are asked for by an item that stays the last one", async () => {
    const { send, failed } = await behind(ANSWER);
    const { sent } = await send("/v1/responses", bodyOf([...list, TRIGGER]));
    expect(sent.endsWith(`${TRIGGER}]}`)).toBe(true);
    expect(failed()).toBe(0);
  });

  it("are the provider's own where it manages the history, which passes byte for byte", async () => {
    const { send } = await behind(ANSWER, "tool");
    const managed = '"context_management":[{"type":"compaction","compact_threshold":20000}],';
    const body = bodyOf(list, managed);
    expect((await send("/v1/responses", body)).sent).toBe(body);
  });

  it.each([ANSWER, `data: {"type":"response.completed","response":${ANSWER}}\n\n`])(
    "may be all of an answer: %#",
    async (said) => {
      const { send } = await behind(said);
      const isStream = said.startsWith("data");
      const body = bodyOf(list.slice(0, 3), isStream ? '"stream":true,' : "");
      expect((await send("/v1/responses", body)).answer).toBe(said);
    },
  );
});
