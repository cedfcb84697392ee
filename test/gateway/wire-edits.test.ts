import { describe, expect, it } from "vitest";
import { saysTheSame } from "../../src/hooks/follow-natives.ts";
import { behind, history, items, OK, STEPS, TOOL } from "./behind.ts";

const text = (value: unknown): string => JSON.stringify(value);
const rows = (list: readonly unknown[]): string[] => list.map(text);

/** A body with these texts as they are; what stands around the list is told apart from it. */
function bodyOf(key: string, list: readonly string[], before = "", after = ""): string {
  return `{"model":"claude-sonnet-4-5",${before}"${key}":[${list.join(",")}]${after}}`;
}

/** Sends it, and sees to it that it was edited. */
async function edited(
  path: string,
  body: string,
  headers?: Readonly<Record<string, string>>,
): Promise<{ readonly sent: string; readonly target: string; readonly headers: object }> {
  const { send, failed, upstream } = await behind(OK);
  const { sent } = await send(path, body, "POST", headers);
  expect(sent.length).toBeLessThan(body.length / 1.3);
  expect(failed()).toBe(0);
  const [request] = upstream.requests;
  return { sent, target: request?.target ?? "", headers: request?.headers ?? {} };
}

const MESSAGES = "/v1/messages";
const CHAT = "/v1/chat/completions";
const ITEMS = "/v1/responses";
const TOOLS = `"max_tokens":500,"tools":[${text(TOOL)}],`;

describe("behind an edit of Anthropic Messages", () => {
  const old = rows(history(STEPS));

  it("the newest exchange stays: errors, images, signatures, calls, to the byte", async () => {
    const tail = [
      '{"role":"assistant","content":[{"type":"thinking","thinking":"","signature":"Er0\\/="},{"type":"text","text":"caf\\u00e9"},{"type":"tool_use","id":"toolu_x","name":"read","input":{"n":1.0,"big":9007199254740993}},{"type":"tool_use","id":"toolu_y","name":"read","input":{}}]}',
      '{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_x","is_error":true,"content":"exit 1"},{"type":"tool_result","tool_use_id":"toolu_y","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgo="}}]}]}',
    ];
    const { sent } = await edited(MESSAGES, bodyOf("messages", [...old, ...tail], TOOLS));
    expect(sent.endsWith(`${tail.join(",")}]}`)).toBe(true);
  });

  it("system messages in the middle, effort, changes of tools and references to them stay", async () => {
    const tail = [
      '{"role":"system","content":"Be brief from here.","output_config":{"effort":"low"}}',
      '{"role":"assistant","content":[{"type":"tool_use","id":"toolu_s","name":"find_tools","input":{}}]}',
      '{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_s","content":[{"type":"tool_reference","tool_name":"late"}]},{"type":"tool_addition","tools":[{"name":"late","input_schema":{"type":"object"}}]}]}',
    ];
    const tools = `"max_tokens":500,"tools":[${text(TOOL)},{"name":"late", "defer_loading":true,"input_schema":{"type":"object"}}],`;
    const { sent } = await edited(MESSAGES, bodyOf("messages", [...old, ...tail], tools));
    expect(sent.endsWith(`${tail.join(",")}]}`)).toBe(true);
    expect(sent.startsWith(`{"model":"claude-sonnet-4-5",${tools}`)).toBe(true);
  });

  it("nothing is touched where the provider has compacted the history itself", async () => {
    const block = '{"type":"compaction","content":"What was.","encrypted_content":"Eo\\/="}';
    const begun = [
      '{"role":"user","content":"Go on."}',
      `{"role":"assistant","content":[${block}]}`,
    ];
    const { send } = await behind(OK, "tool");
    const body = bodyOf("messages", [...begun, ...old], TOOLS);
    expect((await send(MESSAGES, body)).sent).toBe(body);
  });

  it("betas keep their order, and the address its query", async () => {
    const beta = "z-2026-01-01,a-2025-01-01,context-management-2025-06-27";
    const { target, headers } = await edited(
      `${MESSAGES}?beta=true`,
      bodyOf("messages", old, TOOLS),
      { "anthropic-beta": beta },
    );
    expect(target).toBe(`${MESSAGES}?beta=true`);
    expect(headers).toMatchObject({ "anthropic-beta": beta });
  });

  it("marks that move, texts in another form and another billing block are the same history", async () => {
    const { send, failed } = await behind(OK);
    const list = history(STEPS).slice(1);
    const ask = async (first: string, newest: string, billing: string): Promise<string> => {
      const system = `"system":[{"type":"text","text":"x-anthropic-billing-header: ${billing}"},{"type":"text","text":"s"}],`;
      const all = [first, ...rows(list), ...(newest === "" ? [] : [newest])];
      return (await send(MESSAGES, bodyOf("messages", all, system + TOOLS))).sent;
    };
    const marked = '{"type":"text","text":"Read all of it.","cache_control":{"type":"ephemeral"}}';
    const one = await ask(`{"role":"user","content":[${marked}]}`, "", "cch=1");
    const answer = '{"role":"assistant","content":"Done."},{"role":"user","content":"And?"}';
    const other = await ask('{"role":"user","content":"Read all of it."}', answer, "cch=2");
    const listOf = (sent: string): readonly unknown[] =>
      (JSON.parse(sent) as { readonly messages: readonly unknown[] }).messages;
    expect(listOf(one).length).toBeLessThan(list.length);
    expect(listOf(one).every((message, at) => saysTheSame(message, listOf(other)[at]))).toBe(true);
    expect(failed()).toBe(0);
  });
});

describe("an answer of Anthropic Messages is passed to the byte", () => {
  it.each([
    '{"type":"message","role":"assistant","content":[{"type":"compaction","content":"c"}],"stop_reason":"compaction","usage":{"input_tokens":1,"output_tokens":1,"iterations":[{"type":"compaction","input_tokens":1.0}]}}',
    '{"type":"message","role":"assistant","content":[],"stop_reason":"model_context_window_exceeded","usage":{"input_tokens":1,"cache_creation_input_tokens":2,"cache_creation":{"ephemeral_5m_input_tokens":1,"ephemeral_1h_input_tokens":1},"output_tokens":1,"service_tier":"priority"}}',
    'event: unheard_of\ndata: {"type":"unheard_of","n":1.0}\n\nevent: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"req_1"}\n\n',
  ])("%s", async (said) => {
    const { send } = await behind(said);
    const { answer } = await send(MESSAGES, bodyOf("messages", rows(history(2)), TOOLS));
    expect(answer).toBe(said);
  });
});

/** The same steps as Chat Completions has them. */
const chat = rows(
  items(STEPS).flatMap((item) => {
    const { type, call_id: id, output } = item as Readonly<Record<string, string>>;
    if (type === undefined) return [item];
    const call = { id, type: "function", function: { name: "read", arguments: "{}" } };
    return type === "function_call"
      ? [{ role: "assistant", content: null, tool_calls: [call] }]
      : [{ role: "tool", tool_call_id: id, content: output }];
  }),
);

describe("behind an edit of Chat Completions", () => {
  const tools = `"tools":[{"type":"function","function":{"name":"read","parameters":{"type":"object"}}}],`;

  it("arguments, reasoning and signatures of kept messages stay, to the byte", async () => {
    const tail = [
      '{"role":"assistant","content":null,"reasoning_content":"caf\\u00e9","reasoning_details":[{"type":"reasoning.encrypted","data":"Eo\\/="}],"tool_calls":[{"id":"call_x","type":"function","function":{"name":"read","arguments":"{ \\"n\\": 1.0 }"},"extra_content":{"google":{"thought_signature":"Cq\\/="}}}]}',
      '{"role":"tool","tool_call_id":"call_x","content":[{"type":"text","text":"ok"}]}',
    ];
    const { sent } = await edited(CHAT, bodyOf("messages", [...chat, ...tail], tools));
    expect(sent.endsWith(`${tail.join(",")}]}`)).toBe(true);
  });

  it("several system and developer messages, and user messages in a row, stay in their order", async () => {
    const head = ['{"role":"system","content":"one"}', '{"role":"developer","content":"two"}'];
    const tail = [
      '{"role":"assistant","content":"Done."}',
      '{"role":"user","content":"three","name":"a"}',
      '{"role":"user","content":"four"}',
    ];
    const { sent } = await edited(CHAT, bodyOf("messages", [...head, ...chat, ...tail], tools));
    expect(sent).toContain(`"messages":[${head.join(",")}`);
    expect(sent.endsWith(`${tail.join(",")}]}`)).toBe(true);
  });

  it("all other fields stay: n, logprobs, formats, store, cache key, identifiers", async () => {
    const before = `${tools}"n":1.0,"logprobs":true,"seed":9007199254740993,`;
    const after =
      ',"response_format":{"type":"text"},"store" : false,"prompt_cache_key":"k","safety_identifier":"s"';
    const { sent } = await edited(CHAT, bodyOf("messages", chat, before, after));
    expect(sent.startsWith(`{"model":"claude-sonnet-4-5",${before}"messages":[`)).toBe(true);
    expect(sent.endsWith(`]${after}}`)).toBe(true);
  });
});

describe("an answer of Chat Completions is passed to the byte", () => {
  it("where it stops although it calls, and no usage is added that nobody asked for", async () => {
    const call = '{"index":0,"id":"call_1","function":{"name":"read","arguments":"{}"}}';
    const said = `data: {"choices":[{"index":0,"delta":{"role":"assistant","tool_calls":[${call}]}}]}\n\ndata: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n`;
    const { send } = await behind(said);
    const body = bodyOf("messages", chat.slice(0, 3), '"stream":true,');
    expect((await send(CHAT, body)).answer).toBe(said);
  });
});

describe("behind an edit of Responses", () => {
  const old = rows(items(STEPS));

  it("sealed reasoning stays before what it led to, and references stay unresolved", async () => {
    const tail = [
      '{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"gA\\/="}',
      '{"type":"function_call","id":"fc_1","status":"completed","call_id":"call_x","name":"read","arguments":"{ }"}',
      '{"type":"function_call_output","call_id":"call_x","output":[{"type":"input_text","text":"ok"}]}',
      '{"type":"item_reference","id":"msg_1"}',
      '{"type":"message","id":"msg_2","role":"assistant","status":"completed","phase":"commentary","content":[{"type":"output_text","text":"a","annotations":[]}]}',
      '{"role":"developer","content":"Be brief."}',
      '{"role":"user","content":"And?"}',
    ];
    const before =
      '"store":false,"include":["reasoning.encrypted_content"],"instructions":"i","prompt_cache_key":"k","tools":[],';
    const { sent } = await edited(ITEMS, bodyOf("input", [...old, ...tail], before));
    expect(sent.startsWith(`{"model":"claude-sonnet-4-5",${before}"input":[`)).toBe(true);
    expect(sent.endsWith(`${tail.join(",")}]}`)).toBe(true);
  });

  it("calls of every kind keep their outputs", async () => {
    const kinds = ["function_call", "custom_tool_call", "local_shell_call", "apply_patch_call"];
    const list = Array.from({ length: STEPS }, (_, at) => {
      const type = kinds[at % kinds.length] ?? "";
      const call_id = `call_${at}`;
      const said = type === "custom_tool_call" ? { input: "x" } : { arguments: "{}" };
      const output = "a line of output\n".repeat(120);
      return [
        { type, call_id, name: "read", ...said },
        { type: `${type}_output`, call_id, output },
      ];
    });
    const body = bodyOf("input", rows([{ role: "user", content: "Read." }, ...list.flat()]));
    const { sent } = await edited(ITEMS, body);
    const { input } = JSON.parse(sent) as { input: readonly Readonly<Record<string, string>>[] };
    const idsOf = (isOutput: boolean): readonly (readonly [string?, string?])[] =>
      input
        .filter(({ type, call_id }) => call_id && type?.endsWith("_output") === isOutput)
        .map(({ type, call_id }) => [type?.replace(/_output$/, ""), call_id]);
    expect(idsOf(true)).toEqual(idsOf(false));
    expect(idsOf(true).length).toBeGreaterThan(0);
  });
});

describe("what Responses keeps itself", () => {
  it.each(['"previous_response_id":"resp_1",', '"conversation":"conv_1",'])(
    "is never sent again, nor edited: %s",
    async (field) => {
      const refused =
        '{"error":{"code":"previous_response_not_found","message":"Previous response with id \'resp_1\' not found."}}';
      const { send } = await behind(refused, "tool");
      const body = bodyOf("input", rows(items(STEPS)), field);
      const { sent, answer } = await send(ITEMS, body);
      expect(sent).toBe(body);
      expect(answer).toBe(refused);
    },
  );
});

describe("an output of Codex that is too large", () => {
  it("keeps its first lines: the exit code, the time, the count of tokens", async () => {
    const head = "Exit code: 1\nWall time: 2.5 seconds\nOriginal token count: 90000\nOutput:\n";
    const output = head + "a line of a log\n".repeat(20_000);
    const list = [
      { role: "user", content: "Run it." },
      { type: "function_call", call_id: "call_1", name: "exec_command", arguments: "{}" },
      { type: "function_call_output", call_id: "call_1", output },
    ];
    const { sent } = await edited(ITEMS, bodyOf("input", rows(list), '"tools":[],'));
    expect(sent).toContain(text(head).slice(1, -1));
  });
});
