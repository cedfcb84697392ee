// A model that follows a script: an HTTP server on loopback that speaks the OpenAI Chat Completions
// protocol with streaming. It keeps no state: the step to play is the number of assistant messages
// that the client sends back.
import { createServer } from "node:http";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";

const TEXT_PIECE = 48;
const ARGUMENT_PIECE = 160;

/**
 * Starts the server.
 *
 * @param {{ steps: { think?: string, say?: string, calls?: object[] }[], title: string, model: string }} script
 * @returns {Promise<{ url: string, failures: string[], close: () => Promise<void> }>}
 */
export async function startModelServer(script) {
  const failures = [];
  const count = createTokenCounter();
  const server = createServer((request, response) => {
    route(request, response, { script, count, failures }).catch((error) => {
      failures.push(String(error));
      response.destroy();
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/v1`,
    failures,
    close: () => closeServer(server),
  };
}

async function route(request, response, { script, count, failures }) {
  if (request.method !== "POST" || request.url !== "/v1/chat/completions") {
    failures.push(`unexpected request: ${request.method} ${request.url}`);
    sendError(response, 404, "not_found", `No route for ${request.method} ${request.url}`);
    return;
  }
  const body = JSON.parse(await readBody(request));
  const reply = chooseReply(body, script);
  if (reply === undefined) {
    failures.push("the client asked for more steps than the script has");
    sendError(response, 400, "script_ended", "The script has no step left for this conversation.");
    return;
  }
  const usage = measureUsage(body, reply, count);
  if (body.stream) {
    sendStream(response, { model: script.model, reply, usage });
  } else {
    sendWhole(response, { model: script.model, reply, usage });
  }
}

/** The title request of the client carries no tools; everything else is a step of the conversation. */
function chooseReply(body, script) {
  const hasTools = Array.isArray(body.tools) && body.tools.length > 0;
  if (!hasTools) {
    return { say: script.title, calls: [] };
  }
  const played = body.messages.filter((message) => message.role === "assistant").length;
  const step = script.steps[played];
  return step && { ...step, calls: numberCalls(step.calls ?? [], played) };
}

function numberCalls(calls, played) {
  return calls.map((call, index) => ({
    id: `call_${String(played + 1).padStart(3, "0")}_${index + 1}`,
    name: call.tool,
    arguments: JSON.stringify(call.input),
  }));
}

/** Counts every message once: most of a request is the same as in the request before it. */
function createTokenCounter() {
  const known = new Map();
  return (text) => {
    if (!known.has(text)) {
      known.set(text, countTokens(text, { disallowedSpecial: new Set() }));
    }
    return known.get(text);
  };
}

/** Counts what a model would read: texts, calls and tool schemas, not the JSON around the messages. */
function measureUsage(body, reply, count) {
  const tools = (body.tools ?? []).map((tool) => JSON.stringify(tool));
  const calls = reply.calls.flatMap((call) => [call.name, call.arguments]);
  const outputs = [reply.think ?? "", reply.say ?? "", ...calls];
  const promptTokens = sum([...body.messages.flatMap(textsOf), ...tools].map(count));
  const completionTokens = sum(outputs.map(count));
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
  };
}

function textsOf({ content, reasoning_content: reasoning, tool_calls: calls = [] }) {
  const texts = Array.isArray(content) ? content.map((part) => part.text ?? "") : [content ?? ""];
  const callTexts = calls.flatMap((call) => [call.function.name, call.function.arguments]);
  return [...texts, reasoning ?? "", ...callTexts];
}

function sendStream(response, { model, reply, usage }) {
  const envelope = createEnvelope(model, "chat.completion.chunk");
  const write = (fields) => {
    response.write(`data: ${JSON.stringify({ ...envelope, ...fields })}\n\n`);
  };
  const delta = (fields) => write({ choices: [{ index: 0, delta: fields, finish_reason: null }] });
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  delta({ role: "assistant", content: "" });
  for (const piece of cut(reply.think ?? "", TEXT_PIECE)) {
    delta({ reasoning_content: piece });
  }
  for (const piece of cut(reply.say ?? "", TEXT_PIECE)) {
    delta({ content: piece });
  }
  reply.calls.forEach((call, index) => streamCall(delta, call, index));
  write({ choices: [{ index: 0, delta: {}, finish_reason: finishReason(reply) }] });
  write({ choices: [], usage });
  response.end("data: [DONE]\n\n");
}

function streamCall(delta, call, index) {
  const opening = { name: call.name, arguments: "" };
  delta({ tool_calls: [{ index, id: call.id, type: "function", function: opening }] });
  for (const piece of cut(call.arguments, ARGUMENT_PIECE)) {
    delta({ tool_calls: [{ index, function: { arguments: piece } }] });
  }
}

function sendWhole(response, { model, reply, usage }) {
  const toolCalls = reply.calls.map(({ id, ...call }) => ({
    id,
    type: "function",
    function: call,
  }));
  const message = {
    role: "assistant",
    content: reply.say ?? null,
    ...(toolCalls.length > 0 && { tool_calls: toolCalls }),
  };
  const choices = [{ index: 0, message, finish_reason: finishReason(reply) }];
  sendJson(response, 200, { ...createEnvelope(model, "chat.completion"), choices, usage });
}

function sendError(response, status, code, message) {
  sendJson(response, status, {
    error: { message, type: "invalid_request_error", param: null, code },
  });
}

function sendJson(response, status, value) {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(value));
}

function createEnvelope(model, object) {
  return { id: `chatcmpl-${Date.now()}`, object, created: Math.floor(Date.now() / 1000), model };
}

function finishReason(reply) {
  return reply.calls.length > 0 ? "tool_calls" : "stop";
}

async function readBody(request) {
  const chunks = [];
  for await (const chunk of request) {
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** Cuts between characters, never inside one. */
function cut(text, size) {
  const characters = Array.from(text);
  const pieces = [];
  for (let start = 0; start < characters.length; start += size) {
    pieces.push(characters.slice(start, start + size).join(""));
  }
  return pieces;
}

function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0);
}

function closeServer(server) {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(resolve));
}
