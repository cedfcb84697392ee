import { expect, it } from "vitest";
import { type ContextOptions, createContext } from "../../src/context/index.ts";
import { type Message, messageText } from "../../src/core/message/index.ts";
import { parseSummary, unframeSummary } from "../../src/core/summary/index.ts";
import { quarter, step, system, user, words } from "../build-messages.ts";
import { goodSummary } from "../good-summary.ts";

const TASK = "Move the billing code to the new API. Leave legacy.ts as it is.";
const RULE = "From now on never push to main, whatever the ticket says.";

/** A long conversation, in which a person types something new every few steps. */
async function instructionsAfter(options: ContextOptions): Promise<string> {
  const context = createContext({ window: 16_000, counter: quarter, ...options });
  let list: readonly Message[] = [system("You are an agent."), user(TASK)];
  for (let index = 0; index < 500; index++) {
    const wish = `Next, look at ticket ${index}, which is about the export of page ${index}.`;
    if (index % 3 === 0) list = [...list, user(index === 30 ? RULE : wish)];
    list = [...list, ...step(`c${index}`, "bash", { command: `show ${index}` }, words(300))];
    ({ messages: list } = await context.prepare(list));
  }
  const summary = list.find(({ kind }) => kind === "summary");
  const text = unframeSummary(messageText(summary as Message))?.text ?? "";
  return parseSummary(text).get("instructions") ?? "";
}

it.each<[name: string, options: ContextOptions]>([
  ["without a model", {}],
  ["by a model that does not mention them", { summarizer: goodSummary }],
])("what began the work and what is a rule outlast all newer requests, %s", async (_, options) => {
  const instructions = await instructionsAfter(options);
  expect(instructions).toContain(TASK);
  expect(instructions).toContain(RULE);
  expect(instructions).toMatch(/ticket 4[5-9]\d/);
  expect(instructions).toMatch(/… and \d+ more \(instructions\)/);
});
