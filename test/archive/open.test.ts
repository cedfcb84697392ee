import { mkdtempSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openArchive, shownAddress } from "../../src/archive/open.ts";

describe("openArchive", () => {
  it("opens a folder by its path, from where relative paths start", async () => {
    const cwd = mkdtempSync(join(tmpdir(), "longhaul-open-"));
    const archive = await openArchive("kept", cwd);
    const { handle } = await archive.conversation("one").put("out", "text");
    await archive.close();
    expect(readdirSync(join(cwd, "kept"))).toEqual(["one"]);
    expect(await (await openArchive(join(cwd, "kept"))).conversation("one").get(handle)).toBe(
      "text",
    );
  });

  it("opens a database by its URL, without talking to it", async () => {
    const archive = await openArchive("postgres://user:word@nowhere.invalid/db?schema=s&tenant=t");
    expect(archive.name).toBe("postgres");
    await archive.close();
  });

  it("opens a bucket by its URL, without talking to it", async () => {
    const archive = await openArchive("s3://agents/team/a?endpoint=http://127.0.0.1:1&region=eu-1");
    expect(archive.name).toBe("s3");
    await archive.close();
    await expect(openArchive("s3://Agents_!/x")).rejects.toMatchObject({ code: "invalid-options" });
  });

  it.each([
    ["s3://key:hidden-word@agents/x", "credentials come from the environment"],
    ["s3://agents/x?secret=hidden-word", "credentials come from the environment"],
    ["", "it is empty"],
    ["mysql://user:hidden-word@host/db", "no archive for mysql"],
    ["postgres://user:hidden-word@host:99999/db", "it is no URL"],
  ])("refuses %j and shows no password", async (address, problem) => {
    const error: unknown = await openArchive(address).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: "invalid-options" });
    expect(String(error)).toContain(problem);
    expect(String(error)).not.toContain("hidden-word");
  });

  it("refuses names that a schema or a tenant cannot have", async () => {
    await expect(openArchive("postgres://host/db?schema=a'b")).rejects.toMatchObject({
      code: "invalid-options",
    });
  });
});

describe("shownAddress", () => {
  it.each([
    ["/a/b@c:d", "/a/b@c:d"],
    ["postgres://u@h/db", "postgres://u@h/db"],
    ["postgres://u:p@h:1/db?schema=s", "postgres://u:***@h:1/db?schema=s"],
    ["postgres://u:p@s/s:w@h/db", "postgres://u:***@h/db"],
    ["postgres://h/db?user=u&password=p&schema=s", "postgres://h/db?user=u&password=***&schema=s"],
  ])("shows %j as %j", (address, shown) => {
    expect(shownAddress(address)).toBe(shown);
  });
});
