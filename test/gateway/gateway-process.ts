import { type ChildProcess, spawn } from "node:child_process";
import path from "node:path";

const MAIN = path.resolve("test/.built/main.js");

/** A gateway in a process of its own, and its address. */
export function startProcess(upstream: string, archive: string): Promise<[ChildProcess, string]> {
  const words = ["gateway", "--json", "--port", "0", "--window", "16000", "--archive", archive];
  const child = spawn(process.execPath, [MAIN, ...words, "--anthropic", upstream], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.stdout.once("data", (line: Buffer) => {
      const { url } = JSON.parse(line.toString()) as { readonly url: string };
      resolve([child, url]);
    });
  });
}
