// Plan is data, apply is pure: look at what would be done, store it, and do it later.
import { contextBudget, type Message } from "longhaul";
import { applyPlan, type ContextPlan, planContext, planDefaults } from "longhaul/core";

const chat: Message[] = Array.from({ length: 200 }, (_, turn) => ({
  role: turn % 2 === 0 ? "user" : "assistant",
  parts: [{ type: "text", text: `Turn ${turn}: ${"some words about the matter ".repeat(20)}` }],
}));

const options = { ...planDefaults(), budget: contextBudget({ window: 16_000 }), now: 0 };
const plan = planContext(chat, options);
const stored = JSON.stringify(plan);

const summary = "A hundred questions were asked and answered.";
const small = applyPlan(chat, JSON.parse(stored) as ContextPlan, { summary });
console.log(
  `${plan.action}: ${chat.length} messages -> ${small.length}, plan of ${stored.length} bytes`,
);
console.log(`the tail is the same objects: ${small.at(-1) === chat.at(-1)}`);
