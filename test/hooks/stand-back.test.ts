import { expect, it } from "vitest";
import { createContext, type Failure } from "../../src/context/index.ts";
import { createStandBack } from "../../src/hooks/managed.ts";

it("stands back as long as something is seen, and says of each thing once", () => {
  const context = createContext({ window: 16_000 });
  const failures: Failure[] = [];
  context.on("failed", (failure) => void failures.push(failure));
  const standsBack = createStandBack(context);
  expect(standsBack(undefined)).toBe(false);
  expect(standsBack("context_management")).toBe(true);
  expect(standsBack("context_management")).toBe(true);
  expect(standsBack("previous_response_id")).toBe(true);
  expect(failures.map(({ code }) => code)).toEqual(["managed-elsewhere", "managed-elsewhere"]);
  expect(failures[0]?.message).toContain("context_management");
});
