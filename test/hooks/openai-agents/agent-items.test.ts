import { protocol } from "@openai/agents";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Message, type Part, withParts } from "../../../src/core/message/index.ts";
import { agentItems } from "../../../src/hooks/openai-agents/native-item.ts";
import { describeDialect } from "../../conformance/describe-dialect.ts";
import { legalConversation } from "../../property/arbitraries.ts";
import { agentItemsFixtures } from "./fixtures.ts";

describeDialect(agentItems, agentItemsFixtures, legalConversation());

describe("what we make of messages", () => {
  test("is what the SDK's own schema takes", () => {
    fc.assert(
      fc.property(legalConversation(), (messages) => {
        for (const item of agentItems.encode(messages)) {
          expect(() => protocol.ModelItem.parse(item)).not.toThrow();
        }
      }),
    );
  });

  test.each(Object.entries(agentItemsFixtures.legal))(
    "is, too, where %s are edited",
    (_name, items) => {
      const edited = agentItems.decode(items).map(pruned);
      for (const item of agentItems.encode(edited)) {
        expect(() => protocol.ModelItem.parse(item)).not.toThrow();
      }
    },
  );
});

/** Every text is another one, and reasoning is gone. */
function pruned(message: Message): Message {
  const parts = message.parts.flatMap((part): Part[] => {
    if (part.type === "reasoning") return [];
    if (part.type === "text") return [{ ...part, text: `${part.text} (cut)` }];
    if (part.type === "tool-call") return [{ ...part, input: { path: "cut.ts" } }];
    if (part.type !== "tool-result") return [part];
    return [{ ...part, output: [{ type: "text", text: "cut" }] }];
  });
  return withParts(message, parts);
}
