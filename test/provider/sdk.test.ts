import { describe, expect, test } from "vitest";
import { AGENTS } from "./agents.ts";
import { upstreamForTest } from "./for-test.ts";
import type { Script, ViewMessage } from "./index.ts";

/** Three steps, the second with two calls at once, then an answer that names what was read. */
const threeSteps: Script = ({ messages }) => {
  const step = messages.filter(({ role }) => role === "tool").length;
  if (step === 3) {
    const read = messages.flatMap(({ results }) => results.map(({ output }) => output));
    return `Read ${read.join(", ")}. ✓`;
  }
  const paths = step === 1 ? ["b.ts", "c.ts"] : [`${step}.ts`];
  return {
    parts: [
      { type: "reasoning", text: `This is step ${step}, so I read ${paths.join(" and ")}.` },
      { type: "text", text: "I read on." },
      ...paths.map((path) => ({ type: "call", name: "read", input: { path } }) as const),
    ],
  };
};

const ANSWER = "Read contents of 0.ts, contents of b.ts, contents of c.ts, contents of 2.ts. ✓";

/** What all protocols can say: without ids, and without reasoning, which Chat leaves out. */
function common(messages: readonly ViewMessage[]): unknown[] {
  return messages.map(({ role, text, calls, results }) => ({
    role,
    text,
    calls: calls.map(({ name, input }) => ({ name, input })),
    results: results.map(({ name, output }) => ({ name, output })),
  }));
}

describe.each(AGENTS)("$name", ({ run, protocol, isCompatible }) => {
  test.each([false, true])("stream: %s", async (stream) => {
    const upstream = await upstreamForTest({
      script: threeSteps,
      ...(isCompatible && { server: "deepseek" as const }),
    });
    const answer = await run({ url: upstream.url, prompt: "Read the files.", stream });
    const answered = upstream.requests.filter(({ outcome }) => outcome === "answered");
    expect(answer).toBe(ANSWER);
    expect(answered).toHaveLength(4);
    const { view } = answered.at(-1)!;
    expect(view).toMatchObject({ protocol, stream, model: "scripted", system: "You read files." });
    expect(view!.lastUserText).toBe("Read the files.");
    expect(view!.tools).toMatchObject([{ name: "read", description: "Reads a file." }]);
    expect(common(view!.messages)).toEqual([
      { role: "user", text: "Read the files.", calls: [], results: [] },
      ...[["0.ts"], ["b.ts", "c.ts"], ["2.ts"]].flatMap((paths) => [
        {
          role: "assistant",
          text: "I read on.",
          calls: paths.map((path) => ({ name: "read", input: { path } })),
          results: [],
        },
        {
          role: "tool",
          text: "",
          calls: [],
          results: paths.map((path) => ({ name: "read", output: `contents of ${path}` })),
        },
      ]),
    ]);
    expect(upstream.refusals).toEqual([]);
  });
});
