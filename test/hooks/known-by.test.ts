import { describe, expect, it } from "vitest";
import { likeness, openingOf } from "../../src/hooks/known-by.ts";

const user = (content: unknown) => ({ role: "user", content });
const assistant = (content: string) => ({ role: "assistant", content });
const system = (content: string) => ({ role: "system", content });
const tools = (...names: string[]) => names.map((name) => ({ name, input_schema: {} }));

const task = user("Fix the login.");
const agent = { instructions: "You are the agent.", tools: tools("read", "task") };
const helper = { instructions: "You are a helper.", tools: tools("read") };
const dated = { ...agent, instructions: "You are the agent. Today is Monday." };
const title = { instructions: "Write a title." };
const first = openingOf([task], agent);
const second = openingOf([task, assistant("I look."), user("And?")], agent);

describe("requests with the same first message", () => {
  it.each([
    ["the same again", openingOf([task], agent), 3],
    ["of another agent", openingOf([task], helper), 0],
    ["another system prompt", openingOf([task], dated), 0],
    ["other tools", openingOf([task], { ...agent, tools: tools("read") }), 0],
    ["a title", openingOf([task], title), 0],
    ["with an answer", second, 3],
    ["with an answer, on another day", openingOf([task, assistant("x")], dated), 2],
    ["with an answer, handed to another agent", openingOf([task, assistant("x")], helper), 1],
    ["of which nobody says more", openingOf([task]), 3],
  ])("%s, before there is an answer", (_name, later, expected) => {
    expect(likeness(first, later)).toBe(expected);
  });

  it.each([
    ["the same", second, 4],
    ["by other means", openingOf([task, assistant("I look."), user("?")], helper), 4],
    ["another answer", openingOf([task, assistant("I ask.")], agent), 0],
    ["the question alone", first, 0],
    ["more before the answer", openingOf([task, user("Now."), assistant("I look.")], agent), 0],
  ])("%s, once there is an answer", (_name, later, expected) => {
    expect(likeness(second, later)).toBe(expected);
  });
});

describe("how a request begins", () => {
  it("does not depend on marks for caches, nor on what a tool says of itself", () => {
    const cache_control = { type: "ephemeral" };
    const marked = openingOf([user([{ type: "text", text: "Fix the login.", cache_control }])], {
      instructions: [{ type: "text", text: "You are the agent.", cache_control }],
      tools: [
        { name: "read", description: "today's" },
        { name: "task", cache_control },
      ],
    });
    const instructions = [{ type: "text", text: "You are the agent." }];
    expect(likeness(openingOf([task], { ...agent, instructions }), marked)).toBe(3);
  });

  it("is told by the system messages that stand first, too", () => {
    const one = openingOf([system("You are the agent."), task], {});
    expect(likeness(one, openingOf([system("You are the agent."), task], {}))).toBe(3);
    expect(likeness(one, openingOf([system("Write a title."), task], {}))).toBe(0);
    const answered = [task, assistant("x")];
    expect(likeness(one, openingOf([system("Write a title."), ...answered], {}))).toBe(2);
  });

  it("ends with the first item of an answer, whatever that is", () => {
    const reasoning = { type: "reasoning", id: "rs_1", summary: [] };
    const call = { type: "function_call", call_id: "c1", name: "read", arguments: "{}" };
    const output = { type: "function_call_output", call_id: "c1", output: "text" };
    expect(openingOf([task, reasoning, call, output]).messages).toEqual([task, reasoning]);
    expect(openingOf([task, call, output]).messages).toEqual([task, call]);
    expect(openingOf([output, task])).toMatchObject({ isAnswered: false });
  });

  it("may be nothing, which is like nothing else", () => {
    const nothing = openingOf([]);
    expect(likeness(nothing, openingOf([]))).toBe(3);
    expect(likeness(nothing, second)).toBe(0);
    expect(likeness(openingOf([system("x")], {}), openingOf([system("x"), task], {}))).toBe(0);
  });
});
