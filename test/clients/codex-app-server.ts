import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fieldsOf, type Fields } from "../../src/core/text/json.ts";
import { list } from "../../src/transcripts/lenient.ts";

/** A hook as Codex lists it. */
export interface ListedHook {
  readonly key: string;
  readonly currentHash: string;
  readonly trustStatus: string;
}

/** What a person does in Codex by hand, over the protocol that its own screens speak. */
export interface AppServer {
  hooks(cwd: string): Promise<readonly ListedHook[]>;
  trust(hooks: readonly ListedHook[]): Promise<void>;
  close(): void;
}

export async function startAppServer(
  program: string,
  options: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): Promise<AppServer> {
  const child = spawn(program, ["app-server"], { ...options, stdio: ["pipe", "pipe", "ignore"] });
  const waiting = new Map<unknown, (answer: Fields) => void>();
  createInterface({ input: child.stdout }).on("line", (line) => {
    const answer = fieldsOf(JSON.parse(line));
    waiting.get(answer["id"])?.(answer);
  });
  let id = 0;
  const send = (message: object): void =>
    void child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const ask = async (method: string, params: object): Promise<Fields> => {
    id += 1;
    const answered = new Promise<Fields>((resolve) => waiting.set(id, resolve));
    send({ id, method, params });
    const { result, error } = await answered;
    if (error !== undefined) throw new Error(JSON.stringify(error));
    return fieldsOf(result);
  };
  await ask("initialize", { clientInfo: { name: "longhaul-test", version: "1" } });
  send({ method: "initialized" });
  return {
    async hooks(cwd) {
      const { data } = await ask("hooks/list", { cwds: [cwd] });
      return list(data).flatMap((each) => list(fieldsOf(each)["hooks"])) as ListedHook[];
    },
    async trust(hooks) {
      const value = Object.fromEntries(
        hooks.map(({ key, currentHash }) => [key, { trusted_hash: currentHash }]),
      );
      const edit = { keyPath: "hooks.state", value, mergeStrategy: "upsert" };
      await ask("config/batchWrite", { edits: [edit] });
    },
    close: () => void child.kill(),
  };
}
