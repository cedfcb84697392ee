import { expect, it } from "vitest";
import { createContext } from "../../src/context/index.ts";
import { messageText } from "../../src/core/message/index.ts";
import { step, user, words } from "../build-messages.ts";

it("says what a person typed once where it stands below, however it ends", async () => {
  const order = `Mend the parser. ${words(200, "order")} The very last rule.`;
  const steps = Array.from({ length: 40 }, (_, at) =>
    step(`c${at}`, "bash", { command: `npm run task-${at}` }, words(400, `out-${at}`)),
  ).flat();
  const messages = [user(`  ${order}\r\n\n`), ...steps];
  const { messages: kept } = await createContext({ window: 16_000 }).prepare(messages);
  const texts = kept.map(messageText).join("\n");
  expect(kept.some(({ kind }) => kind === "summary")).toBe(true);
  expect(texts.split("The very last rule.").length).toBe(2);
  expect(texts.split("Mend the parser.").length).toBeGreaterThan(2);
});
