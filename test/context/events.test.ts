import { describe, expect, it } from "vitest";
import { createEmitter, type AnyContextEvent } from "../../src/context/events.ts";

const failure = { code: "archive-failed", message: "The disk is full." };

describe("listeners", () => {
  it("that throw or reject harm nobody, not the process either", async () => {
    const emitter = createEmitter();
    const seen: string[] = [];
    const unhandled: unknown[] = [];
    const note = (reason: unknown): void => void unhandled.push(reason);
    process.on("unhandledRejection", note);
    emitter.on("failed", () => {
      throw new Error("thrown");
    });
    emitter.on("failed", () => Promise.reject(new Error("rejected")) as never);
    emitter.onAny(() => Promise.reject(new Error("rejected, too")) as never);
    emitter.on("failed", ({ code }) => void seen.push(code));
    emitter.emit("failed", failure);
    // Unhandled rejections are told after all microtasks.
    await new Promise((resolve) => setImmediate(resolve));
    process.off("unhandledRejection", note);
    expect({ seen, unhandled }).toEqual({ seen: ["archive-failed"], unhandled: [] });
  });

  it("may stop listening while they are told", () => {
    const emitter = createEmitter();
    const seen: string[] = [];
    const stop = emitter.on("failed", () => {
      stop();
      seen.push("once");
    });
    emitter.on("failed", () => void seen.push("always"));
    emitter.emit("failed", failure);
    emitter.emit("failed", failure);
    expect(seen).toEqual(["once", "always", "always"]);
  });

  it("to everything hear the name", () => {
    const emitter = createEmitter();
    const seen: AnyContextEvent[] = [];
    emitter.onAny((event) => void seen.push(event));
    emitter.emit("failed", failure);
    expect(seen).toEqual([{ name: "failed", event: failure }]);
  });
});
