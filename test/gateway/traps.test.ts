import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { behind, history, OK, TOOL } from "./behind.ts";
import { gatewayForTest, rawRequest, rawUpstream } from "./raw-upstream.ts";

const here = (file: string): string => readFileSync(new URL(file, import.meta.url), "utf8");

/** The lines of the tables in `README.md`, and what stands behind each. */
const LINES = here("./README.md")
  .split("\n")
  .flatMap((row) => {
    const [, line, proof] = /^\| (.+?) \| (.+) \|$/.exec(row) ?? [];
    return line === undefined || proof === undefined || /^(?:test|---)$/.test(proof)
      ? []
      : [{ line, proof }];
  });

describe("each line that gateways got wrong", () => {
  it("is told", () => expect(LINES.length).toBeGreaterThan(50));

  it.each(LINES)("has a test, or a reason to have none: $line", ({ proof }) => {
    if (proof.startsWith("does not apply: ")) return;
    for (const one of proof.split(/; (?=`)/)) {
      const [, file = "", name = ""] = /^`(.+?\.test\.ts)`: (.+)$/.exec(one) ?? [];
      const isThere = name !== "" && here(file).includes(name);
      expect({ one, isThere }).toEqual({ one, isThere: true });
    }
  });
});

it.each([429, 529])("a rate limit or an overload is asked once: %i", async (status) => {
  const upstream = await rawUpstream((_, response) => {
    response.writeHead(status, { "retry-after": "7" }).end('{"type":"error"}');
  });
  const { url } = await gatewayForTest(upstream);
  const body = JSON.stringify({ model: "m", max_tokens: 9, messages: history(2) });
  const answer = await rawRequest(`${url}/v1/messages`, { method: "POST", body });
  expect(answer).toMatchObject({ status, headers: { "retry-after": "7" } });
  expect(upstream.requests).toHaveLength(1);
});

it("calls and results of the oldest form of Chat Completions go on in pairs", async () => {
  const { send, failed } = await behind(OK);
  const pairs = Array.from({ length: 40 }, (_, at) => [
    { role: "assistant", content: null, function_call: { name: "read", arguments: `{"n":${at}}` } },
    { role: "function", name: "read", content: `${at}: a line of output\n`.repeat(120) },
  ]);
  const messages = [{ role: "user", content: "Read all." }, ...pairs.flat()];
  const functions = [{ name: "read", parameters: TOOL.input_schema }];
  const { sent } = await send(
    "/v1/chat/completions",
    JSON.stringify({ model: "m", functions, messages }),
  );
  const { messages: list } = JSON.parse(sent) as {
    readonly messages: readonly { readonly role: string; readonly function_call?: unknown }[];
  };
  for (const [at, { role }] of list.entries()) {
    if (role === "function") expect(list[at - 1]?.function_call).toBeDefined();
  }
  expect(sent).toContain('"functions":[{"name":"read"');
  expect(failed()).toBe(0);
});
