import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { scopeOf } from "../../src/gateway/identity.ts";
import { temporaryFolder } from "../cli/run-cli.ts";
import { runs } from "../property/runs.ts";
import { gatewayForTest, rawRequest, type RawUpstream, rawUpstream } from "./raw-upstream.ts";

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

  it("is said by the first that says one: ours, the client's own header, the body", () => {
    const levels: readonly Readonly<Record<string, string>>[] = [
      { "x-longhaul-conversation": "a" },
      { "x-claude-code-session-id": "b", "x-claude-code-agent-id": "c" },
      { "session-id": "d", "thread-id": "e" },
      { "x-session-affinity": "f" },
      { "x-session-id": "g" },
      { session_id: "h" },
    ];
    const user_id = JSON.stringify({ session_id: "i" });
    const [body, cache] = [{ metadata: { user_id } }, { prompt_cache_key: "j" }];
    const scope = (from: number, params: object): string => {
      const headers = headersOf(Object.assign({}, ...levels.slice(from)));
      return scopeOf({ headers, params: params as never, url: URL_OF });
    };
    for (const at of levels.keys()) {
      expect(scope(at, { ...body, ...cache })).toBe(scope(at, {}));
      expect(scope(at, {})).not.toBe(scope(at + 1, {}));
    }
    expect(scope(6, { ...body, ...cache })).toBe(scope(6, body));
    expect(scope(6, body)).not.toBe(scope(6, cache));
    expect(scope(6, cache)).not.toBe(scope(6, {}));
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

/** A token as a login gives it: what it claims can be read and written by everybody. */
const login = (signature: string): string => {
  const claims = Buffer.from('{"account_uuid":"a-1","sub":"u-1"}').toString("base64url");
  return `Bearer eyJhbGciOiJIUzI1NiJ9.${claims}.${signature}`;
};

const SECRET = "the plan of the other account";

/** A long history, and what its owner has said since. */
function conversation(steps: number): readonly object[] {
  const list = Array.from({ length: steps }, (_, at) => [
    { role: "assistant", content: [{ type: "tool_use", id: `t_${at}`, name: "read", input: {} }] },
    {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: `t_${at}`, content: "a line\n".repeat(400) }],
    },
  ]);
  return [{ role: "user", content: "Read all." }, ...list.flat()];
}

describe("a history that comes with another token of the same login", () => {
  const claimed = { "x-claude-code-session-id": "s-1", "chatgpt-account-id": "acct-1" };
  const answer =
    '{"type":"message","role":"assistant","content":[{"type":"text","text":"ok"}],"usage":{"input_tokens":9,"output_tokens":1}}';

  async function asked(upstream: RawUpstream, archive: string) {
    const { url, metrics } = await gatewayForTest(upstream, { archive, window: 16_000 });
    return async (token: string, messages: readonly object[]) => {
      const tools = [{ name: "read", input_schema: { type: "object" } }];
      const body = JSON.stringify({ model: "m", max_tokens: 500, tools, messages });
      const headers = { ...claimed, authorization: token };
      await rawRequest(`${url}/v1/messages`, { method: "POST", headers, body });
      expect(metrics.counted("failed_open")).toBe(0);
      return upstream.requests.at(-1)?.body.toString() ?? "";
    };
  }

  const filesIn = (folder: string): ReadonlyMap<string, string> => {
    const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();
    const files = names.filter((name) => statSync(path.join(folder, name)).isFile());
    return new Map(files.map((name) => [name, readFileSync(path.join(folder, name), "utf8")]));
  };

  it("is treated as if the other had never been there: not its edits, not its originals", async () => {
    const [shared, alone] = [temporaryFolder(), temporaryFolder()];
    const upstream = await rawUpstream((_, response) => {
      response.writeHead(200, { "content-type": "application/json" }).end(answer);
    });
    const ask = await asked(upstream, shared);
    const more = [
      { role: "assistant", content: "Done." },
      { role: "user", content: SECRET },
    ];
    await ask(login("one"), conversation(30));
    await ask(login("one"), [...conversation(40), ...more]);
    const before = filesIn(shared);
    expect(before.size).toBeGreaterThan(1);
    // Who holds the whole history, headers and claims included, is told nothing by what goes out.
    const sent = await ask(login("two"), conversation(40));
    const other = await (await asked(upstream, alone))(login("two"), conversation(40));
    expect(sent.replaceAll(shared, alone)).toBe(other);
    expect(sent).not.toContain(SECRET);
    // And nothing is written where the other one goes on.
    const after = filesIn(shared);
    for (const [name, text] of before) expect(after.get(name)).toBe(text);
    expect(after.size).toBeGreaterThan(before.size);
    // No credential is on disk.
    expect([...after].join("\n")).not.toMatch(/eyJ|acct-1|account_uuid/);
  });
});
