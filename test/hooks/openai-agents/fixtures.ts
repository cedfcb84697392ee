import type { AgentInputItem } from "@openai/agents";
import type { AgentItem } from "../../../src/hooks/openai-agents/wire.ts";
import type { DialectFixtures } from "../../conformance/describe-dialect.ts";

const PNG = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB";

const ask: AgentInputItem = { role: "user", content: "Fix the build." };
const call = (callId: string, args = '{"path": "a.ts"}', fields: object = {}) => ({
  type: "function_call" as const,
  callId,
  name: "read",
  status: "completed" as const,
  arguments: args,
  ...fields,
});
const result = (callId: string, output: unknown = "ok", fields: object = {}) => ({
  type: "function_call_result" as const,
  callId,
  name: "read",
  status: "completed" as const,
  output: output as string,
  ...fields,
});
const reasoning = (id: string, fields: object = {}) => ({
  type: "reasoning" as const,
  id,
  content: [{ type: "input_text" as const, text: "Read it.", providerData: {} }],
  providerData: { id, type: "reasoning", encrypted_content: "gAAAAABc2VhbGVk" },
  ...fields,
});
const said = (id: string | undefined, text: string) => ({
  type: "message" as const,
  ...(id !== undefined && { id }),
  role: "assistant" as const,
  status: "completed" as const,
  content: [{ type: "output_text" as const, text, providerData: { annotations: [] } }],
  providerData: {},
});

/** Items as the SDK makes them from answers of the API, and as a program writes them. */
const shapes: Record<string, AgentInputItem[]> = {
  "messages in all forms": [
    { role: "system", content: "Be brief." },
    { role: "user", content: "hi" },
    { type: "message", role: "user", content: [{ type: "input_text", text: "still there?" }] },
    said("msg_1", "yes"),
    { role: "system", content: "Ten minutes left." },
    { role: "user", content: "" },
  ],
  "replies of reasoning, messages and parallel calls": [
    ask,
    reasoning("rs_1"),
    said("msg_1", "I read both."),
    call("call_1", '{ "path":"a.ts" , "n": 1.0 }', { id: "fc_1", providerData: { id: "fc_1" } }),
    call("call_2", '{"path": "b.ts', { id: "fc_2" }),
    result("call_2", [
      { type: "input_text", text: "a" },
      { type: "input_image", image: PNG, detail: "low" },
    ]),
    result("call_1", { type: "text", text: "b" }),
    reasoning("rs_2", { content: [], rawContent: [{ type: "reasoning_text", text: "Hm." }] }),
    call("call_3", "", { id: "fc_3", namespace: "docs" }),
    result("call_3", { type: "image", image: { data: "iVBORw0KGgo=", mediaType: "image/png" } }),
    reasoning("rs_3"),
    said("msg_2", "Done."),
  ],
  "what a model without ids makes": [
    ask,
    { type: "reasoning", content: [], rawContent: [{ type: "reasoning_text", text: "Hm." }] },
    call("call_1", "{}", { id: "FAKE_ID" }),
    result("call_1"),
    { ...said("FAKE_ID", "Done.") },
    ask,
    { ...said("FAKE_ID", "Done again.") },
  ],
  "shells and patches": [
    ask,
    {
      type: "shell_call",
      callId: "call_s",
      status: "completed",
      action: { commands: ["ls", "cat a.ts"], timeoutMs: 1000 },
    },
    {
      type: "apply_patch_call",
      callId: "call_a",
      status: "completed",
      operation: { type: "update_file", path: "a.ts", diff: "@@\n-a\n+b" },
    },
    {
      type: "shell_call_output",
      callId: "call_s",
      maxOutputLength: 1000,
      output: [
        { stdout: "a.ts", stderr: "", outcome: { type: "exit", exitCode: 0 } },
        { stdout: "", stderr: "no such file", outcome: { type: "exit", exitCode: 1 } },
      ],
    },
    { type: "apply_patch_call_output", callId: "call_a", status: "failed", output: "no match" },
    said("msg_1", "I try again."),
  ],
  "what the provider carries out": [
    ask,
    reasoning("rs_1"),
    {
      type: "hosted_tool_call",
      id: "ws_1",
      name: "web_search_call",
      status: "completed",
      providerData: { type: "web_search_call", action: { type: "search", query: "news" } },
    },
    {
      type: "hosted_tool_call",
      id: "ci_1",
      name: "code_interpreter_call",
      status: "completed",
      providerData: { type: "code_interpreter_call", container_id: "c", code: "1", outputs: [] },
    },
    {
      type: "tool_search_call",
      id: "tsc_1",
      status: "completed",
      arguments: {},
      providerData: { execution: "server" },
    },
    {
      type: "tool_search_output",
      id: "tso_1",
      status: "completed",
      tools: [],
      providerData: { execution: "server" },
    },
    said("msg_1", "Found."),
  ],
  "calls that are answered with more than text, and approvals": [
    ask,
    {
      type: "computer_call",
      id: "cu_1",
      callId: "call_c",
      status: "completed",
      action: { type: "screenshot" },
    },
    {
      type: "computer_call_result",
      callId: "call_c",
      output: { type: "computer_screenshot", data: PNG },
    },
    {
      type: "hosted_tool_call",
      id: "mcpr_1",
      name: "mcp_approval_request",
      status: "completed",
      providerData: { type: "mcp_approval_request", id: "mcpr_1", name: "drop", arguments: "{}" },
    },
    {
      type: "hosted_tool_call",
      name: "mcp_approval_response",
      status: "completed",
      providerData: {
        type: "mcp_approval_response",
        approve: true,
        approval_request_id: "mcpr_1",
      },
    },
    { type: "program", id: "prog_1", callId: "call_g", code: "f()", fingerprint: "x" },
    call("call_1", "{}", { caller: { type: "program", callerId: "call_g" } }),
    result("call_1", "ok", { caller: { type: "program", callerId: "call_g" } }),
    { type: "program_output", id: "po_1", callId: "call_g", output: "1", status: "completed" },
    said(undefined, "Done."),
  ],
  "a compaction of the provider, and items nobody knows": [
    { role: "user", content: "First." },
    { type: "compaction", id: "cmp_1", encrypted_content: "c2VhbGVk" },
    {
      type: "unknown",
      id: "ctc_1",
      providerData: { type: "custom_tool_call", call_id: "call_p", name: "patch", input: "***" },
    },
    {
      type: "unknown",
      providerData: { type: "custom_tool_call_output", call_id: "call_p", output: "Done!" },
    },
    { type: "unknown", id: "hol_1", providerData: { type: "hologram_call", beam: true } },
    said(undefined, "Ready."),
  ],
  files: [
    {
      role: "user",
      content: [
        { type: "input_text", text: "Look:" },
        { type: "input_image", image: PNG, detail: "high" },
        { type: "input_image", image: "https://example.com/a.png" },
        { type: "input_image", image: { id: "file_1" } },
        { type: "input_file", filename: "a.pdf", file: "data:application/pdf;base64,JVBERg==" },
        { type: "input_file", file: { url: "https://example.com/b.pdf" } },
        { type: "input_file", file: { id: "file_2" } },
        { type: "audio", audio: "UklGRg==", format: "wav" },
      ],
    },
  ],
};

const illegal = [
  { rule: "empty-conversation", conversation: [] },
  { rule: "unknown-role", conversation: [{ role: "tool", content: "hi" }] },
  { rule: "unanswered-tool-call", conversation: [ask, call("call_1")] },
  { rule: "unpaired-tool-result", conversation: [ask, result("call_1")] },
  { rule: "reasoning-alone", conversation: [ask, reasoning("rs_1"), ask] },
  { rule: "item-id", conversation: [ask, call("call_1", "{}", { id: "x" }), result("call_1")] },
];

const malformed = {
  "an object": { input: [] },
  "an item that is a string": ["hi"],
  "an item that is nothing": [{ text: "hi" }],
  "an unknown role": [{ role: "tool", content: "hi" }],
  "content that is a number": [{ role: "user", content: 7 }],
  "a call without a name": [{ type: "function_call", callId: "a", arguments: "" }],
  "a call without a callId": [{ type: "function_call", name: "a", arguments: "" }],
};

export const agentItemsFixtures: DialectFixtures<readonly AgentItem[], AgentItem> = {
  legal: shapes,
  illegal,
  malformed,
  natives: (conversation) => conversation,
};
