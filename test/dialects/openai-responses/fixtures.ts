import type { ResponsesItem } from "../../../src/dialects/openai-responses/wire.ts";
import type { DialectFixtures } from "../../conformance/describe-dialect.ts";

const PNG = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB";

const ask = { role: "user", content: "Fix the build." };
const call = (id: string, args = '{"path": "a.ts"}', fields: object = {}) => ({
  type: "function_call",
  call_id: id,
  name: "read",
  arguments: args,
  ...fields,
});
const output = (id: string, value: unknown = "ok", fields: object = {}) => ({
  type: "function_call_output",
  call_id: id,
  output: value,
  ...fields,
});
const reasoning = (id: string, fields: object = {}) => ({
  type: "reasoning",
  id,
  summary: [{ type: "summary_text", text: "Read it." }],
  encrypted_content: "gAAAAABc2VhbGVk",
  ...fields,
});
const said = (id: string, text: string, fields: object = {}) => ({
  type: "message",
  id,
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text, annotations: [], logprobs: [] }],
  ...fields,
});
const short = (text: string) => ({ role: "assistant", content: text });

/** Items as the API sends and takes them, and as Codex, the AI SDK and plain loops send them. */
const shapes = {
  "messages in both forms": [
    { role: "developer", content: "Be brief." },
    { type: "message", role: "system", content: [{ type: "input_text", text: "Use tools." }] },
    { role: "user", content: "hi" },
    { role: "user", content: [{ type: "input_text", text: "still there?" }], status: "completed" },
    { role: "assistant", content: "yes", phase: "final_answer" },
    { role: "developer", content: "Ten minutes left." },
    { role: "user", content: "" },
  ],
  "replies of reasoning, messages and parallel calls": [
    ask,
    reasoning("rs_1"),
    said("msg_1", "I read both.", { phase: "commentary" }),
    call("call_1", '{ "path":"a.ts" , "n": 1.0, "big": 12345678901234567890 }', { id: "fc_1" }),
    call("call_2", '{"path": "b.ts', { id: "fc_2", status: "completed" }),
    output("call_2", "b", { id: "fco_1", status: "completed" }),
    output("call_1", [
      { type: "input_text", text: "a" },
      { type: "input_image", image_url: PNG, detail: "low" },
    ]),
    reasoning("rs_2", { summary: [], content: null, status: null }),
    call("call_3", "", { id: "fc_3", namespace: "docs" }),
    output("call_3", ""),
    reasoning("rs_3"),
    reasoning("rs_4"),
    said("msg_2", "Done.", { phase: "final_answer" }),
  ],
  "items without ids": [
    ask,
    { type: "reasoning", summary: [], encrypted_content: "c2VhbGVk" },
    short("I patch it."),
    { type: "custom_tool_call", call_id: "call_p", name: "apply_patch", input: "*** Begin Patch" },
    { type: "custom_tool_call_output", call_id: "call_p", output: "Done!" },
    short("One more."),
    {
      type: "custom_tool_call",
      call_id: "call_q",
      name: "exec",
      input: "await f()",
      status: "completed",
    },
    {
      type: "custom_tool_call_output",
      call_id: "call_q",
      output: [{ type: "input_text", text: "Exit code: 0" }],
    },
  ],
  "outputs in the middle of a reply": [
    ask,
    reasoning("rs_1"),
    call("call_1", "{}", { id: "fc_1" }),
    output("call_1"),
    call("call_2", "{}", { id: "fc_2" }),
    output("call_2"),
    said("msg_1", "Read."),
  ],
  "shells and patches": [
    ask,
    {
      type: "local_shell_call",
      id: "lsh_1",
      call_id: "call_l",
      status: "completed",
      action: { type: "exec", command: ["ls", "-l"], env: {} },
    },
    { type: "local_shell_call_output", id: "lsh_1", output: '{"stdout":"a.ts"}' },
    {
      type: "shell_call",
      call_id: "call_s",
      action: { commands: ["ls", "cat a.ts"], timeout_ms: null },
    },
    {
      type: "apply_patch_call",
      call_id: "call_a",
      status: "completed",
      operation: { type: "update_file", path: "a.ts", diff: "@@\n-a\n+b" },
    },
    {
      type: "shell_call_output",
      call_id: "call_s",
      max_output_length: 1000,
      output: [
        { stdout: "a.ts", stderr: "", outcome: { type: "exit", exit_code: 0 } },
        { stdout: "", stderr: "no such file", outcome: { type: "exit", exit_code: 1 } },
      ],
    },
    { type: "apply_patch_call_output", call_id: "call_a", status: "failed", output: "no match" },
    short("I try again."),
    {
      type: "local_shell_call",
      id: "lsh_2",
      call_id: "call_m",
      status: "completed",
      action: { type: "exec", command: ["pwd"], env: {} },
    },
    output("call_m", "/home"),
  ],
  "what the provider carries out": [
    ask,
    reasoning("rs_1"),
    {
      type: "web_search_call",
      id: "ws_1",
      status: "completed",
      action: { type: "search", query: "news" },
    },
    reasoning("rs_2", { encrypted_content: undefined }),
    {
      type: "code_interpreter_call",
      id: "ci_1",
      container_id: "cntr_1",
      code: "1",
      outputs: [],
      status: "completed",
    },
    { type: "file_search_call", id: "fs_1", queries: ["a"], status: "completed", results: null },
    { type: "image_generation_call", id: "ig_1", status: "completed", result: "iVBORw0KGgo=" },
    { type: "mcp_list_tools", id: "mcpl_1", server_label: "docs", tools: [] },
    {
      type: "mcp_call",
      id: "mcp_1",
      server_label: "docs",
      name: "find",
      arguments: "{}",
      output: "a",
    },
    { type: "tool_search_call", id: "tsc_1", execution: "server", call_id: null, arguments: {} },
    { type: "tool_search_output", id: "tso_1", execution: "server", call_id: null, tools: [] },
    {
      type: "shell_call",
      id: "sh_1",
      call_id: "call_h",
      action: { commands: ["ls"] },
      environment: { type: "container_reference", container_id: "cntr_1" },
    },
    { type: "shell_call_output", id: "sho_1", call_id: "call_h", output: [] },
    said("msg_1", "Found.", {
      content: [
        {
          type: "output_text",
          text: "Found it.",
          annotations: [
            {
              type: "url_citation",
              url: "https://e.com",
              start_index: 0,
              end_index: 5,
              title: "t",
            },
          ],
        },
        { type: "refusal", refusal: "No more." },
      ],
    }),
  ],
  "calls that are answered with more than text, and approvals": [
    { type: "additional_tools", role: "developer", tools: [] },
    ask,
    {
      type: "computer_call",
      id: "cu_1",
      call_id: "call_c",
      action: { type: "screenshot" },
      pending_safety_checks: [],
      status: "completed",
    },
    {
      type: "computer_call_output",
      call_id: "call_c",
      output: { type: "computer_screenshot", image_url: PNG },
    },
    { type: "tool_search_call", call_id: "call_t", execution: "client", arguments: { query: "a" } },
    { type: "tool_search_output", call_id: "call_t", execution: "client", tools: [] },
    {
      type: "mcp_approval_request",
      id: "mcpr_1",
      server_label: "docs",
      name: "drop",
      arguments: "{}",
    },
    { type: "mcp_approval_response", approval_request_id: "mcpr_1", approve: true },
    {
      type: "mcp_call",
      id: "mcp_1",
      server_label: "docs",
      name: "drop",
      arguments: "{}",
      approval_request_id: "mcpr_1",
    },
    { type: "program", id: "prog_1", call_id: "call_g", code: "f()", fingerprint: "x" },
    call("call_1", "{}", { caller: { type: "program", caller_id: "call_g" } }),
    output("call_1", "ok", { caller: { type: "program", caller_id: "call_g" } }),
    { type: "program_output", id: "po_1", call_id: "call_g", result: "1", status: "completed" },
    short("Done."),
  ],
  "references to stored items": [
    ask,
    { type: "item_reference", id: "rs_1" },
    { id: "fc_1" },
    output("call_1"),
    { type: "item_reference", id: "msg_1" },
    ask,
  ],
  "a compaction of the provider, and items nobody knows": [
    { role: "user", content: "First." },
    { type: "compaction", id: "cmp_1", encrypted_content: "c2VhbGVk" },
    { type: "configuration_update", model: "next" },
    { type: "hologram_call", id: "hol_1", beam: true },
    short("Ready."),
    { type: "note", role: "user", text: "?" },
    { type: "compaction_trigger" },
  ],
  files: [
    {
      role: "user",
      content: [
        { type: "input_text", text: "Look:" },
        { type: "input_image", image_url: PNG, detail: "high" },
        { type: "input_image", image_url: "https://example.com/a.png", detail: "auto" },
        { type: "input_image", file_id: "file_1", detail: "auto" },
        {
          type: "input_file",
          filename: "a.pdf",
          file_data: "data:application/pdf;base64,JVBERg==",
        },
        { type: "input_file", file_url: "https://example.com/b.pdf" },
        { type: "input_file", file_id: "file_2" },
        { type: "input_audio", input_audio: { data: "UklGRg==", format: "wav" } },
      ],
    },
  ],
};

const illegal = [
  { rule: "empty-conversation", conversation: [] },
  { rule: "unknown-item", conversation: [ask, {}] },
  { rule: "unknown-item", conversation: ["hi"] },
  { rule: "unknown-role", conversation: [{ role: "tool", content: "hi" }] },
  { rule: "missing-content", conversation: [{ role: "user" }] },
  {
    rule: "content-part",
    conversation: [{ role: "user", content: [{ type: "text", text: "hi" }] }],
  },
  {
    rule: "content-part",
    conversation: [ask, { role: "assistant", content: [{ type: "input_text", text: "hi" }] }],
  },
  {
    rule: "content-part",
    conversation: [{ role: "user", content: [{ type: "input_text", text: 1 }] }],
  },
  { rule: "unanswered-tool-call", conversation: [ask, call("call_1")] },
  { rule: "unpaired-tool-result", conversation: [ask, output("call_1")] },
  { rule: "unpaired-tool-result", conversation: [ask, output("call_1"), call("call_1")] },
  {
    rule: "unpaired-tool-result",
    conversation: [ask, call("call_1"), { ...output("call_1"), type: "custom_tool_call_output" }],
  },
  {
    rule: "duplicate-tool-result",
    conversation: [ask, call("call_1"), output("call_1"), output("call_1")],
  },
  {
    rule: "duplicate-tool-call-id",
    conversation: [ask, call("call_1"), output("call_1"), call("call_1"), output("call_1")],
  },
  { rule: "duplicate-item-id", conversation: [ask, said("msg_1", "a"), ask, said("msg_1", "b")] },
  {
    rule: "item-id",
    conversation: [ask, call("call_1", "{}", { id: "call_1" }), output("call_1")],
  },
  { rule: "item-id", conversation: [ask, reasoning(""), short("hi")] },
  { rule: "item-id", conversation: [ask, said(`msg_${"0".repeat(61)}`, "hi")] },
  { rule: "tool-call-id", conversation: [ask, call("c".repeat(65)), output("c".repeat(65))] },
  { rule: "tool-call-id", conversation: [ask, { ...call(""), call_id: undefined }] },
  {
    rule: "tool-name",
    conversation: [ask, call("call_1", "{}", { name: "a.b" }), output("call_1")],
  },
  {
    rule: "tool-arguments",
    conversation: [ask, { ...call("call_1"), arguments: {} }, output("call_1")],
  },
  { rule: "tool-output-shape", conversation: [ask, call("call_1"), output("call_1", { a: 1 })] },
  {
    rule: "tool-output-shape",
    conversation: [ask, call("call_1"), output("call_1", [{ type: "text" }])],
  },
  {
    rule: "missing-summary",
    conversation: [ask, reasoning("rs_1", { summary: undefined }), short("hi")],
  },
  { rule: "reasoning-alone", conversation: [ask, reasoning("rs_1")] },
  { rule: "reasoning-alone", conversation: [ask, reasoning("rs_1"), ask] },
  {
    rule: "reasoning-alone",
    conversation: [ask, call("call_1"), reasoning("rs_1"), output("call_1")],
  },
  { rule: "reasoning-alone", conversation: [ask, { type: "item_reference", id: "rs_1" }, ask] },
];

const malformed = {
  "an object": { input: [] },
  "an item that is a string": ["hi"],
  "an item that is nothing": [{ text: "hi" }],
  "an unknown role": [{ role: "tool", content: "hi" }],
  "a message without a role": [{ type: "message", content: "hi" }],
  "an unknown item of an unknown role": [{ type: "note", role: "tool" }],
  "content that is a number": [{ role: "user", content: 7 }],
  "a part without a type": [{ role: "user", content: [{ text: "hi" }] }],
  "a text part without text": [{ role: "user", content: [{ type: "input_text" }] }],
  "a call without a name": [{ type: "function_call", call_id: "a", arguments: "" }],
  "a call without a call_id": [{ type: "function_call", name: "a", arguments: "" }],
  "a shell call without a call_id": [{ type: "shell_call", action: {} }],
  "an output without a call_id": [{ type: "function_call_output", output: "" }],
  "an output that is a number": [call("a"), output("a", 7)],
  "a shell output that is a text": [{ type: "shell_call_output", call_id: "a", output: "a" }],
  "a shell output of texts": [{ type: "shell_call_output", call_id: "a", output: ["a"] }],
};

export const openaiResponsesFixtures: DialectFixtures<readonly ResponsesItem[], ResponsesItem> = {
  legal: shapes,
  illegal,
  malformed,
  natives: (conversation) => conversation,
};
