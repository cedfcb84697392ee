import { isAbsolute, join, resolve } from "node:path";
import { expect, it } from "vitest";
import { archiveFolder, longhaulHome } from "../../src/archive/home.ts";

it("is $LONGHAUL_HOME, made absolute", () => {
  expect(longhaulHome({ LONGHAUL_HOME: "/srv/state" })).toBe(resolve("/srv/state"));
  expect(longhaulHome({ LONGHAUL_HOME: "state" })).toBe(resolve("state"));
});

it("is longhaul in the platform's data directory when nothing is set", () => {
  for (const env of [{}, { LONGHAUL_HOME: "" }]) {
    expect(isAbsolute(longhaulHome(env))).toBe(true);
    expect(longhaulHome(env)).toMatch(/longhaul([/\\]Data)?$/);
  }
});

it("holds the archive", () => {
  const home = resolve("/srv/state");
  expect(archiveFolder({ LONGHAUL_HOME: home })).toBe(join(home, "archive"));
});
