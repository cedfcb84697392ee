import path from "node:path";
import { type Client, CLIENTS, write } from "./clients.ts";

/** Coding agents whose sessions are read by nobody here, behind a gateway all the same. */
export const WIRE_AGENTS = ["cline", "continue"] as const;

/** They need a newer Node. */
const onNode22 = (): Readonly<Record<string, string>> => {
  const bins = ["node22", ...WIRE_AGENTS].map((name) =>
    path.join(CLIENTS, name, "node_modules/.bin"),
  );
  return { PATH: [...bins, process.env["PATH"] ?? ""].join(path.delimiter) };
};

/** Continue counts its own history, whatever is reported, and would compact long before a gateway need. */
const COUNTED = 1_000_000;

export const wireClients: Readonly<Record<(typeof WIRE_AGENTS)[number], Client>> = {
  cline: {
    folder: "cline/node_modules/.bin/cline",
    tool: { name: "run_commands", input: (command) => ({ commands: [command] }) },
    configure({ home, upstream }) {
      const settings = {
        provider: "anthropic",
        apiKey: "key",
        model: "claude-opus-4-6",
        baseUrl: `${upstream.url}/v1`,
      };
      const updatedAt = "2026-11-01T00:00:00.000Z";
      write(path.join(home, ".cline/data/settings/providers.json"), {
        version: 1,
        lastUsedProvider: "anthropic",
        modes: {},
        providers: { anthropic: { settings, tokenSource: "manual", updatedAt } },
      });
    },
    args: (prompt) => ["-P", "anthropic", "-m", "claude-opus-4-6", prompt],
    env: () => ({ ...onNode22(), CLINE_SESSION_BACKEND_MODE: "local" }),
  },
  continue: {
    folder: "continue/node_modules/.bin/cn",
    tool: { name: "Bash", input: (command) => ({ command }) },
    configure({ home, upstream }) {
      write(
        path.join(home, ".continue/config.yaml"),
        `name: local
version: 1.0.0
schema: v1
models:
  - name: scripted
    provider: openai
    model: scripted-model
    apiBase: ${upstream.url}/v1
    apiKey: key
    capabilities: [tool_use]
    defaultCompletionOptions: { contextLength: ${COUNTED}, maxTokens: 4000 }
`,
      );
    },
    args: (prompt) => ["-p", "--auto", prompt],
    env: onNode22,
  },
};
