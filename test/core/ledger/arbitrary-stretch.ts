import * as fc from "fast-check";
import type { Message } from "../../../src/core/message/index.ts";
import { assistant, call, calling, result, results, step, user } from "../../build-messages.ts";

const path = fc.constantFrom("/src/a.ts", "/src/b.ts", "/lib/c.ts", "d.ts");
const failed = fc.boolean();

/** Whole steps and turns, as a compaction cuts them. */
const unit: fc.Arbitrary<Message[]> = fc.oneof(
  fc.string({ minLength: 1 }).map((text): Message[] => [user(`do ${text}`)]),
  fc.constant<Message[]>([assistant("The root cause is a missing await in the loader.")]),
  fc
    .tuple(fc.constantFrom("Read", "Write", "Edit"), path, failed)
    .map(([tool, file, bad]) => [
      calling(call("1", tool, { file_path: file })),
      results(result("1", tool, bad ? "not found" : "fine", bad)),
    ]),
  fc
    .tuple(fc.constantFrom("rm /src/a.ts", "rm -rf /lib", "rm -rf /src", "npm test"), failed)
    .map(([command, bad]) => [
      calling(call("1", "Bash", { command })),
      results(result("1", "Bash", bad ? "Error: no" : "fine", bad)),
    ]),
  fc
    .string({ minLength: 1 })
    .map((content) => step("1", "TodoWrite", { todos: [{ content, status: "pending" }] }, "ok")),
);
/** Some steps and turns of a conversation. */
export const stretch: fc.Arbitrary<Message[]> = fc
  .array(unit, { maxLength: 12 })
  .map((units) => units.flat());
