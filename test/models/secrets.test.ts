import fc from "fast-check";
import { expect, it } from "vitest";
import { redactor } from "../../src/models/secrets.ts";

it("takes a secret out however it is spelled", () => {
  const redact = redactor(['sk-"quoted"/+ key\n']);
  const said = [
    'sk-"quoted"/+ key',
    JSON.stringify({ key: 'sk-"quoted"/+ key\n' }),
    encodeURIComponent('sk-"quoted"/+ key'),
  ].join(" and ");
  expect(redact(said)).not.toMatch(/quoted/);
});

it("leaves placeholders alone", () => {
  expect(redactor(["ollama", undefined, ""])("ollama says no")).toBe("ollama says no");
});

it("leaves nothing of any secret, also where one holds another", () => {
  const secret = fc.stringMatching(/^[a-z0-9]{8,30}$/).filter((text) => !text.includes("redacted"));
  fc.assert(
    fc.property(secret, secret, fc.string(), (one, other, between) => {
      const clean = redactor([one, one + other])(`${between}${one}${other}${between}${one}`);
      expect(clean).not.toContain(one);
    }),
  );
});
