import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { scopeOf } from "../../src/gateway/identity.ts";
import { temporaryFolder } from "../cli/run-cli.ts";
import { runs } from "../property/runs.ts";
import { gatewayForTest, rawRequest, rawUpstream } from "./raw-upstream.ts";

const URL_OF = new URL("https://api.example.com/v1/messages");

/** What a stranger may say of itself, and what it cannot. */
const claims = fc.record({
  "x-longhaul-conversation": fc.string(),
  "x-claude-code-session-id": fc.string(),
  "x-session-id": fc.string(),
  "chatgpt-account-id": fc.string(),
});
const token = fc.oneof(
  fc.string({ minLength: 1 }),
  fc.constantFrom("sk-ant-oat01-a", "sk-ant-oat01-b", "eyJh.eyJz.c2ln", "eyJh.eyJz.b3Ro"),
);

function headersOf(fields: Readonly<Record<string, string>>): string[] {
  return Object.entries(fields).flat();
}

describe("a conversation's name", () => {
  it("is never that of another credential, whatever headers and fields claim", () => {
    fc.assert(
      fc.property(claims, fc.string(), token, token, (said, user, one, other) => {
        fc.pre(one !== other);
        const params = { metadata: { user_id: `user_session_${user}` }, prompt_cache_key: user };
        const scope = (secret: string, name = "Authorization"): string =>
          scopeOf({
            headers: headersOf({ ...said, [name]: `Bearer ${secret}` }),
            params,
            url: URL_OF,
          });
        expect(scope(one)).not.toBe(scope(other));
        expect(scope(one)).toBe(scope(one));
        expect(scope(one, "x-api-key")).not.toBe(scope(one));
      }),
      { numRuns: runs(200, 5_000) },
    );
  });

  it.each([
    "../../../etc",
    "/etc/passwd",
    "a\\..\\b",
    "%2e%2e%2f",
    "x".repeat(9_000),
    "é\u0000",
    "",
  ])("is a folder of the archive for any id: %j", async (id) => {
    const upstream = await rawUpstream((_, response) => response.end("{}"));
    const above = temporaryFolder();
    const archive = path.join(above, "archive");
    const { url } = await gatewayForTest(upstream, { archive });
    const call = { type: "tool_use", id, name: "read", input: {} };
    const content = "a line\n".repeat(30_000);
    const messages = [
      { role: "user", content: id },
      { role: "assistant", content: [call] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: id, content }] },
    ];
    const body = JSON.stringify({
      model: id,
      max_tokens: 10,
      metadata: { user_id: JSON.stringify({ session_id: id }) },
      messages,
    });
    const { status } = await rawRequest(`${url}/v1/messages`, { method: "POST", body });
    expect(status).toBe(200);
    expect(readdirSync(above)).toEqual(["archive"]);
    const folders = existsSync(archive) ? readdirSync(archive) : [];
    expect(folders.filter((name) => !/^[\w.-]+$/.test(name))).toEqual([]);
    expect(folders.length).toBeGreaterThan(0);
  });
});
