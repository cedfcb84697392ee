import { expect, it, vi } from "vitest";
import { runCommand } from "../../src/spill/index.ts";

/** A system that does not tell the environment of a process, as all but Linux. */
vi.mock("node:fs", async (load) => {
  const real = await load<typeof import("node:fs")>();
  const isOurs = (path: unknown): boolean => !String(path).startsWith("/proc/");
  return { ...real, existsSync: (path: string) => isOurs(path) && real.existsSync(path) };
});

const UNSURE = /left its group \(setsid, daemons\) may still run/;

it("a stopped command says that what left its group may still run", async () => {
  const late = await runCommand({ command: "sleep 30", timeoutMs: 100 });
  expect(late).toMatchObject({ timedOut: true, signal: "SIGTERM" });
  expect(late.text).toMatch(UNSURE);
  const stop = new AbortController();
  const running = runCommand({ command: "sleep 30", signal: stop.signal });
  setTimeout(() => stop.abort(), 100);
  expect((await running).warnings.join()).toMatch(UNSURE);
});

it.each([
  ["ended by itself", { command: "echo done" }],
  ["was never started", { command: "sleep 30", signal: AbortSignal.abort() }],
])("one that %s does not", async (_, options) => {
  expect((await runCommand(options)).text).not.toMatch(UNSURE);
});
