import type * as http from "node:http";
import { directoryArchive } from "../../src/archive/directory.ts";
import { saysTheSame } from "../../src/hooks/follow-natives.ts";
import { readdirSync } from "node:fs";
import { type RawRequest, rawRequest, rawUpstream } from "./raw-upstream.ts";

interface Message {
  readonly role: string;
  readonly content: unknown;
}

/** A history of one task, with the result of a tool after each call. */
function history(steps: number): Message[] {
  const list: Message[] = [{ role: "user", content: "Read all of it." }];
  for (let at = 0; at < steps; at++) {
    const id = `toolu_${at}`;
    const output = `${at}: a line of output\n`.repeat(120);
    list.push(
      { role: "assistant", content: [{ type: "tool_use", id, name: "read", input: { at } }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: output }] },
    );
  }
  return list;
}

function answer({ body }: RawRequest, response: http.ServerResponse): void {
  const usage = { input_tokens: Math.ceil(body.length / 4), output_tokens: 1 };
  const content = [{ type: "text", text: "ok" }];
  const message = { type: "message", role: "assistant", content, stop_reason: "end_turn", usage };
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify(message));
}

export interface LongTask {
  readonly steps: number;
  /** Where each attempt of a request goes. */
  readonly urlOf: (step: number) => Promise<string> | string;
}

export interface WhatArrived {
  /** Requests that do not begin as the one before, or were asked again and were not the same. */
  readonly breaks: number;
  /** Steps that went out edited. */
  readonly edited: number;
}

export interface TaskRun extends WhatArrived {
  /** Edits that the journal holds. */
  readonly edits: number;
}

/** The upstream of one task; `run` sends it, step by step, until each step has its answer. */
export async function longTask(): Promise<{
  readonly url: string;
  /** `archive`: its folder, or how many edits it holds. */
  readonly run: (task: LongTask, archive: string | (() => Promise<number>)) => Promise<TaskRun>;
}> {
  const upstream = await rawUpstream(answer);
  return {
    url: upstream.url,
    async run({ steps, urlOf }, archive) {
      const all = history(steps);
      const ends: number[] = [];
      for (let step = 1; step <= steps; step++) {
        const tools = [{ name: "read", input_schema: { type: "object" } }];
        const messages = all.slice(0, 1 + 2 * step);
        const body = JSON.stringify({ model: "m", max_tokens: 500, tools, messages });
        await insist(() => urlOf(step), body);
        ends.push(upstream.requests.length);
      }
      const bodies = upstream.requests.map((request) => request.body.toString());
      return {
        ...lookAt(bodies, ends),
        edits: await (typeof archive === "string" ? editsIn(archive) : archive()),
      };
    },
  };
}

/** As a client that tries again until somebody answers. */
async function insist(urlOf: () => Promise<string> | string, body: string): Promise<void> {
  const headers = { "x-claude-code-session-id": "s-1", "x-api-key": "k" };
  for (let left = 200; left > 0; left--) {
    try {
      const url = `${await urlOf()}/v1/messages`;
      const { status } = await rawRequest(url, { method: "POST", headers, body });
      if (status === 200) return;
    } catch {
      // It was killed just now.
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("nobody answered");
}

/** `ends`: behind how many requests each step had its answer. */
function lookAt(bodies: readonly string[], ends: readonly number[]): WhatArrived {
  let [breaks, edited, from] = [0, 0, 0];
  let before: readonly unknown[] = [];
  for (const end of ends) {
    const asked = bodies.slice(from, end);
    from = end;
    for (const [at, body] of asked.entries()) {
      const { messages } = JSON.parse(body) as { messages: readonly unknown[] };
      const isSame = before.every((one, index) => saysTheSame(one, messages[index]));
      // What is asked again goes out again byte for byte.
      if (!isSame || (at > 0 && body.length === asked[at - 1]?.length && body !== asked[at - 1])) {
        breaks += 1;
      }
      before = messages;
    }
    if (/<tool-output-compacted|<prior-conversation-summary/.test(asked.at(-1) ?? "")) edited += 1;
  }
  return { breaks, edited };
}

async function editsIn(folder: string): Promise<number> {
  const archive = directoryArchive(folder);
  const ids = readdirSync(folder, { recursive: true, encoding: "utf8" }).flatMap(
    (name) => /(gateway-[\w-]+)$/.exec(name)?.[1] ?? [],
  );
  const journals = await Promise.all(
    [...new Set(ids)].map(async (id) => archive.conversation?.(id)?.journal?.read() ?? []),
  );
  return journals.flat().filter((entry) => "consumed" in (entry as object)).length;
}
