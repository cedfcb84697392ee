// A conversation in a provider's own format: decode, prepare, encode. Untouched messages come back
// as the very same objects, so the provider's prompt cache keeps hitting.
import { createContext } from "longhaul";
import { anthropic, type AnthropicMessage } from "longhaul/dialects";

const messages: AnthropicMessage[] = [
  { role: "user", content: "Watch the build and tell me when it is green." },
];
for (let step = 1; step <= 50; step++) {
  const id = `toolu_${step}`;
  const log = `step ${step}: compiling module ${step}\n`.repeat(120);
  messages.push(
    {
      role: "assistant",
      content: [{ type: "tool_use", id, name: "build_status", input: { step } }],
    },
    { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: log }] },
  );
}
const request = { system: "You are a build watcher.", messages };

const context = createContext({ window: 32_000, traits: anthropic.traits });
const prepared = await context.prepare(anthropic.decode(request), { force: true });
const smaller = anthropic.encode(prepared.messages);

console.log(`${messages.length} messages -> ${smaller.messages.length}`);
console.log(`legal for the provider: ${anthropic.check(smaller).length === 0}`);
console.log(`the last message is the same object: ${smaller.messages.at(-1) === messages.at(-1)}`);
