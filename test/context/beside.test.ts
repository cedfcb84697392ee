import { describe, expect, it } from "vitest";
import { createContext } from "../../src/context/index.ts";
import { quarter, user, words } from "../build-messages.ts";

const history = [user("do the work")];

describe("what is sent beside the messages", () => {
  it("is counted from the call on that names it", async () => {
    const context = createContext({
      window: 32_000,
      counter: quarter,
      instructions: words(100, "a"),
    });
    const tokens = async (options = {}): Promise<number> =>
      (await context.prepare(history, options)).report.tokens.before;
    const first = await tokens();
    expect(await tokens({ instructions: words(600, "b") })).toBe(first + 500);
    expect(await tokens()).toBe(first + 500);
    const tools = [{ name: "read", description: words(200, "c") }];
    const withTools = await tokens({ tools });
    expect(withTools).toBeGreaterThan(first + 690);
    expect(await tokens({ tools: structuredClone(tools) })).toBe(withTools);
    expect(await tokens({ instructions: "", tools: [] })).toBeLessThan(first);
  });

  it("is blamed when nothing else can be removed", async () => {
    const context = createContext({ window: 16_000, counter: quarter });
    await context.prepare(history);
    await expect(
      context.prepare(history, { instructions: words(20_000, "a") }),
    ).rejects.toMatchObject({ code: "irreducible" });
  });
});
