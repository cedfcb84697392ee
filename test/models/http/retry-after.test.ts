import { expect, it } from "vitest";
import { retryAfterMs } from "../../../src/models/failure.ts";

const now = Date.parse("2026-01-02T03:04:05Z");

it.each([
  [{}, undefined],
  [{ "retry-after": "7" }, 7_000],
  [{ "retry-after": "0.5" }, 500],
  [{ "retry-after": "Fri, 02 Jan 2026 03:05:05 GMT" }, 60_000],
  [{ "retry-after": "Fri, 02 Jan 2026 03:00:00 GMT" }, 0],
  [{ "retry-after": "soon" }, undefined],
  [{ "retry-after": "" }, undefined],
  [{ "retry-after-ms": "250", "retry-after": "1" }, 250],
])("%j is %s ms", (headers, expected) => {
  expect(retryAfterMs(new Headers(headers as Record<string, string>), now)).toBe(expected);
});
