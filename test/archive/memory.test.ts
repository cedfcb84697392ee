import { expect, it } from "vitest";
import { memoryArchive } from "../../src/archive/index.ts";
import { describeArchive } from "../conformance/describe-archive.ts";

describeArchive("memory", async () => memoryArchive());

it("refuses a second original under a taken handle and keeps the first", async () => {
  const archive = memoryArchive({ digest: () => "0".repeat(64) });
  const { handle } = await archive.put("out", "first");
  await expect(archive.put("out", "second")).rejects.toMatchObject({
    code: "archive-failed",
    details: { handle: "out_0000000000000000" },
  });
  expect(await archive.get(handle)).toBe("first");
});

it("takes the time from the clock it is given", async () => {
  const archive = memoryArchive({ now: () => 1_700_000_000_000 });
  expect(await archive.put("out", "x")).toMatchObject({ storedAt: 1_700_000_000_000 });
});

it("gives no path, because there is no file", async () => {
  expect(await memoryArchive().put("out", "x")).not.toHaveProperty("path");
});
