import { describe, expect, it } from "vitest";
import { askForSummary } from "../../src/models/ask.ts";
import type { LiveRequest } from "../../src/models/summarizer.ts";
import { system } from "../build-messages.ts";
import { inputOf, session } from "../core/summary/build-input.ts";
import { asking, type Behaviour, goodSummary, MISBEHAVIOURS, scripted } from "./fake-summarizer.ts";

const head = session(10, 100);
const input = inputOf(head);
const live: LiveRequest = {
  system: "You are an agent.",
  tools: [{ name: "bash", description: "Runs a command" }],
  messages: [system("Rules."), ...head],
};
const good: Behaviour = (request) => goodSummary(request);

describe("a summarizer on the agent's own model", () => {
  it("is sent the live request with the instruction behind it", async () => {
    const summarizer = scripted([good], { reusesPrompt: true });
    const made = await askForSummary(asking(summarizer, input, { live }));
    const [request] = summarizer.requests;
    expect(request?.live).toMatchObject(live);
    expect(request?.live?.messages).toBe(live.messages);
    expect(request?.live?.instruction).toContain("## Relevant files");
    expect(request?.prompt.user).toContain("<conversation>");
    expect(made.calls).toMatchObject([
      {
        reusedPrompt: true,
        prompt: { system: live.system, user: request?.live?.instruction },
      },
    ]);
  });

  it.each(["answers the chat", "calls a tool", "throws an overflow", "throws 400"])(
    "is asked with the conversation as data when it %s",
    async (name) => {
      const summarizer = scripted([MISBEHAVIOURS[name] as Behaviour, good], { reusesPrompt: true });
      const made = await askForSummary(asking(summarizer, input, { live }));
      expect(summarizer.requests.map((request) => request.live === undefined)).toEqual([
        false,
        true,
      ]);
      expect(made.calls.map(({ reusedPrompt }) => reusedPrompt)).toEqual([true, false]);
      expect(made.words).toBeDefined();
    },
  );

  it("keeps to the time limit where it never says whether it can", async () => {
    const canReuse = (): Promise<boolean> => new Promise(() => undefined);
    const summarizer = scripted([good], { reusesPrompt: true, canReuse });
    const made = await askForSummary(asking(summarizer, input, { live, timeoutMs: 5 }));
    expect(made).toMatchObject({
      calls: [],
      failure: expect.stringMatching(/5 ms/),
    });
  });

  it.each([
    ["it does not say that it can", {}, live],
    ["it cannot send this one", { reusesPrompt: true, canReuse: (): boolean => false }, live],
    [
      "it fails when it is asked whether it can",
      { reusesPrompt: true, canReuse: (): Promise<boolean> => Promise.reject(new Error("no")) },
      live,
    ],
    ["nothing live is there", { reusesPrompt: true }, undefined],
    ["it does not fit", { reusesPrompt: true }, { ...live, messages: session(100, 1_000) }],
  ] as const)("is sent the prompt when %s", async (_, rest, given) => {
    const summarizer = scripted([good], rest);
    const made = await askForSummary(asking(summarizer, input, { live: given }));
    expect(summarizer.requests[0]?.live).toBeUndefined();
    expect(made.calls[0]).toMatchObject({
      reusedPrompt: false,
      prompt: summarizer.requests[0]?.prompt,
    });
  });
});
