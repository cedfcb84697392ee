import fc from "fast-check";
import { describe, expect, it } from "vitest";
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

describe("a key that hides", () => {
  const UNSEEN = ["\u200b", "\u200d", "\u2060", "\ufeff", "\u00ad", "\u202e", "\n", "\u2028"];
  it.each(["sk-abc.def+123", "geheim12", "k3y"])("is found behind what nobody sees: %s", (key) => {
    const redact = redactor([key]);
    for (const unseen of UNSEEN) {
      expect(redact(`it is (${[...key].join(unseen)}).`)).toBe("it is ([redacted]).");
    }
  });

  it("is found where it is short and stands alone, and no word is mistaken for it", () => {
    const redact = redactor(["k3y", "true", "none"]);
    expect(redact('{"key":"k3y"} k3ys monk3y true none')).toBe(
      '{"key":"[redacted]"} k3ys monk3y true none',
    );
  });
});
