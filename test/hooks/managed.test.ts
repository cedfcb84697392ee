import { expect, it } from "vitest";
import { createContext, type Failure } from "../../src/context/index.ts";
import { createManagedCheck } from "../../src/hooks/managed.ts";

it("leaves a conversation alone as long as a sign is seen, and says so once of each", () => {
  const context = createContext({ window: 16_000 });
  const failures: Failure[] = [];
  context.on("failed", (failure) => void failures.push(failure));
  const isManaged = createManagedCheck(context);
  expect(isManaged(undefined)).toBe(false);
  expect(isManaged("context_management")).toBe(true);
  expect(isManaged("context_management")).toBe(true);
  expect(isManaged("previous_response_id")).toBe(true);
  expect(failures.map(({ code }) => code)).toEqual(["managed-elsewhere", "managed-elsewhere"]);
  expect(failures[0]?.message).toContain("context_management");
});
