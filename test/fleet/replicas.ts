import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import type { Message } from "../../src/index.ts";

export interface ReplicaOptions {
  /** Its model never answers. */
  readonly hangs?: boolean;
  /** The number of its contexts, all of one conversation. @default 1 */
  readonly contexts?: number;
  /** The error of its clock. */
  readonly skewMs?: number;
}

export interface Answer {
  /** The list that each context would send. */
  readonly lists: readonly (readonly Message[])[];
  readonly actions: readonly string[];
  readonly failures: readonly string[];
  /** The calls of its models so far. */
  readonly asked: number;
}

const children: ChildProcess[] = [];

export async function startReplica(
  address: string,
  options: ReplicaOptions = {},
): Promise<ChildProcess> {
  const args = [address, JSON.stringify(options)];
  const execArgv = ["--import", "tsx"];
  const child = fork(new URL("replica.ts", import.meta.url), args, { execArgv });
  children.push(child);
  await once(child, "message");
  return child;
}

export function killReplicas(): void {
  for (const child of children) child.kill("SIGKILL");
}

export function ask(child: ChildProcess, history: readonly Message[]): Promise<Answer> {
  const answer = new Promise<Answer>((resolve) => {
    const hear = (message: unknown): void => {
      if (message === "asked") return;
      child.off("message", hear);
      resolve(message as Answer);
    };
    child.on("message", hear);
  });
  child.send(history);
  return answer;
}

/** A request and so many steps of work, each about 600 tokens. */
export function work(steps: number): Message[] {
  const history: Message[] = [
    { role: "user", parts: [{ type: "text", text: "Go through all logs. Never delete one." }] },
  ];
  for (let step = 1; step <= steps; step++) {
    const call = { toolCallId: `call_${step}`, toolName: "bash" };
    const text = `log ${step}: nothing to report today, line after line\n`.repeat(50);
    history.push(
      {
        role: "assistant",
        parts: [{ type: "tool-call", ...call, input: { command: `cat ${step}.log` } }],
      },
      { role: "tool", parts: [{ type: "tool-result", ...call, output: [{ type: "text", text }] }] },
    );
  }
  return history;
}
