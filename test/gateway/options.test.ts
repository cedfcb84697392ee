import { expect, it } from "vitest";
import { gatewaySettings } from "../../src/gateway/options.ts";

it("the gateway has the default of every limit that is undefined", () => {
  const { limits } = gatewaySettings({});
  const none = Object.fromEntries(Object.keys(limits).map((name) => [name, undefined]));
  expect(gatewaySettings({ limits: none }).limits).toEqual(limits);
  const given = { ...none, idleMs: 5 };
  expect(gatewaySettings({ limits: given }).limits).toEqual({ ...limits, idleMs: 5 });
});
