import { stripVTControlCharacters } from "node:util";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { whileWaiting } from "../../src/cli/progress.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function terminal(isTTY: boolean, columns = 80) {
  const written: string[] = [];
  const stderr = { write: (text: string) => written.push(text), isTTY, columns };
  return { stderr, written };
}

it("says on a terminal what is waited for, and for how long", async () => {
  const { written, ...io } = terminal(true);
  let finish: (value: number) => void = () => undefined;
  const task = (): Promise<number> => new Promise((resolve) => (finish = resolve));
  const done = whileWaiting(io, "Asking anthropic:m", task);
  await vi.advanceTimersByTimeAsync(2_000);
  finish(7);
  expect(await done).toBe(7);
  expect(written.map((text) => stripVTControlCharacters(text).replace("\r", ""))).toEqual([
    "Asking anthropic:m: 0 seconds",
    "Asking anthropic:m: 1 second",
    "Asking anthropic:m: 2 seconds",
    "",
  ]);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(written).toHaveLength(4);
});

it("leaves nothing behind when the task fails, and fits the line", async () => {
  const { written, ...io } = terminal(true, 20);
  const failing = whileWaiting(io, "Asking ".repeat(20), () => Promise.reject(new Error("no")));
  await expect(failing).rejects.toThrow("no");
  expect(stripVTControlCharacters(written[0]!).replace("\r", "")).toHaveLength(19);
  expect(written.at(-1)).toBe("\r\x1b[2K");
});

it("is silent elsewhere", async () => {
  const { written, ...io } = terminal(false);
  expect(await whileWaiting(io, "Asking", () => Promise.resolve(1))).toBe(1);
  expect(written).toEqual([]);
});
