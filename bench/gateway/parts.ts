/** Starts the parts of a measurement, and what is asked of them. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import * as http from "node:http";

export type RoleName = "provider" | "bare" | "gateway" | "portkey";

export interface RoleSettings {
  /** Where requests go. */
  readonly to?: string;
  readonly archive?: string;
  readonly window?: number;
  /** How long an answer goes on, and how often there is an event. */
  readonly lastsMs?: number;
  readonly everyMs?: number;
}

/** `collected` is the state after a collection, which stops the loop. */
export type Asked = "state" | "collected" | "end";

/** What a process says of itself. */
export interface State {
  /** Of all its threads, since it began. */
  readonly cpuMs: number;
  readonly rss: number;
  /** The most it ever was. */
  readonly peakRss: number;
  /** The longest time for which its loop stood still, since it was asked before. */
  readonly lagMs: number;
}

export type Told = { readonly url: string } | State;

/** A part that runs. */
export interface Part {
  readonly url: string;
  state(asked?: "state" | "collected"): Promise<State>;
  end(): Promise<void>;
}

export async function startPart(role: RoleName, settings: RoleSettings = {}): Promise<Part> {
  const script = new URL("./roles.ts", import.meta.url);
  const profile = process.env["BENCH_PROFILE"];
  const flags =
    profile !== undefined && role === "gateway" ? ["--cpu-prof", `--cpu-prof-dir=${profile}`] : [];
  const child = fork(script, [role, JSON.stringify(settings)], {
    execArgv: ["--import", "tsx", "--expose-gc", ...flags],
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const { url } = (await told(child)) as { readonly url: string };
  return {
    url,
    async state(asked = "state") {
      const answer = told(child);
      child.send(asked satisfies Asked);
      return (await answer) as State;
    },
    async end() {
      const ended = once(child, "exit");
      child.send("end" satisfies Asked);
      await ended;
    },
  };
}

async function told(child: ChildProcess): Promise<Told> {
  const stop = new AbortController();
  const exit = once(child, "exit", { signal: stop.signal }).then(([code]) => {
    throw new Error(`a part of the bench ended with ${String(code)}`);
  });
  const message = once(child, "message", { signal: stop.signal }).then(([one]) => one as Told);
  try {
    return await Promise.race([message, exit]);
  } finally {
    stop.abort();
    exit.catch(() => undefined);
    message.catch(() => undefined);
  }
}

/** Messages of a conversation with calls and their results. */
export interface Script {
  readonly messages: number;
  /** Of all of it, about. */
  readonly bytes: number;
  readonly seed: string;
}

/** The request after so many more steps; a conversation only grows. */
export function requestText({ messages, bytes, seed }: Script, more: number): string {
  const text = "line of some output, number 12345\n".repeat(Math.ceil(bytes / messages / 17));
  const list: object[] = [{ role: "user", content: `Task ${seed}: read all of it.` }];
  for (let at = 0; list.length < messages - 1 + 2 * more; at++) {
    const id = `toolu_${seed}${at}`;
    const call = { type: "tool_use", id, name: "read", input: { path: `src/${at}.ts` } };
    const content = [{ type: "tool_result", tool_use_id: id, content: `${at}\n${text}` }];
    list.push({ role: "assistant", content: [call] }, { role: "user", content });
  }
  const beside = { model: "claude-opus-4-6", max_tokens: 1_000, stream: true };
  return JSON.stringify({ ...beside, messages: list });
}

export const agent = new http.Agent({ keepAlive: true });

/** Milliseconds until the first byte of the answer. */
export function firstByte(
  url: string,
  text: string,
  own: Readonly<Record<string, string>> = {},
): Promise<number> {
  return new Promise((resolve, reject) => {
    const began = performance.now();
    const headers = {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(text),
      ...own,
    };
    const request = http.request(
      `${url}/v1/messages`,
      { method: "POST", headers, agent },
      (answer) => {
        if (answer.statusCode !== 200) reject(new Error(`answered ${answer.statusCode}`));
        answer.once("data", () => {
          const took = performance.now() - began;
          answer.resume().once("end", () => resolve(took));
        });
      },
    );
    request.on("error", reject);
    request.end(text);
  });
}
