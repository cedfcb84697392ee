import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { SessionAgent } from "../../src/resume/write-session.ts";
import type { Upstream } from "../provider/index.ts";

/** A coding agent as a person runs it, in a home of its own, against the strict local server. */
export interface Client {
  /** The program's folder below the folder of all clients; `install.sh` makes it. */
  readonly folder: string;
  readonly tool: { readonly name: string; readonly input: (command: string) => unknown };
  configure(place: Place): void;
  /** Begins a session with a prompt, or goes on with one. */
  args(prompt: string, session?: Session): readonly string[];
  readonly env: (place: Place) => Readonly<Record<string, string>>;
}

export interface Place {
  readonly home: string;
  readonly cwd: string;
  readonly upstream: Pick<Upstream, "url">;
}

export interface Session {
  readonly id: string;
  readonly path: string;
}

/** Where `install.sh` puts the clients. */
export const CLIENTS = process.env["LONGHAUL_CLIENTS"] ?? path.resolve("test/clients/installed");

export function write(file: string, content: unknown): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(
    file,
    typeof content === "string" ? content : JSON.stringify(content, undefined, 2),
  );
}

/** What a client takes its window for, where it asks. */
export const WINDOW = 120_000;
/** What needs a newer Node than these tests. */
const NODE_22 = path.join(CLIENTS, "node22", "node_modules", ".bin");

export const clients: Readonly<Record<SessionAgent, Client>> = {
  pi: {
    folder: "pi/node_modules/.bin/pi",
    tool: { name: "bash", input: (command) => ({ command }) },
    configure({ home, upstream }) {
      const agent = path.join(home, ".pi", "agent");
      const model = {
        id: "scripted-model",
        contextWindow: WINDOW,
        maxTokens: 4000,
        reasoning: false,
      };
      write(path.join(agent, "models.json"), {
        providers: {
          scripted: {
            baseUrl: upstream.url,
            api: "anthropic-messages",
            apiKey: "key",
            models: [model],
          },
        },
      });
    },
    args: (prompt, session) => [
      "--provider",
      "scripted",
      "--model",
      "scripted-model",
      ...(session === undefined ? [] : ["--session", session.path]),
      "-p",
      prompt,
    ],
    env: () => ({ PI_OFFLINE: "1", PI_TELEMETRY: "0" }),
  },
  "claude-code": {
    folder: "claude/node_modules/.bin/claude",
    tool: { name: "Bash", input: (command) => ({ command, description: "Run it" }) },
    configure({ home }) {
      write(path.join(home, ".claude.json"), { hasCompletedOnboarding: true });
    },
    args: (prompt, session) => [
      "-p",
      "--dangerously-skip-permissions",
      ...(session === undefined ? [] : ["--resume", session.id]),
      prompt,
    ],
    env: ({ upstream }) => ({
      ANTHROPIC_BASE_URL: upstream.url,
      ANTHROPIC_API_KEY: "key",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
      IS_SANDBOX: "1",
    }),
  },
  codex: {
    folder: "codex/node_modules/.bin/codex",
    tool: { name: "exec_command", input: (cmd) => ({ cmd }) },
    configure({ home, upstream }) {
      write(
        path.join(home, ".codex", "config.toml"),
        `model = "scripted-model"
model_provider = "scripted"
model_context_window = ${WINDOW}
model_auto_compact_token_limit = 100000
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false
[features]
plugins = false
apps = false
[model_providers.scripted]
name = "scripted"
base_url = "${upstream.url}/v1"
env_key = "SCRIPTED_KEY"
wire_api = "responses"
`,
      );
    },
    args: (prompt, session) => [
      "exec",
      "--skip-git-repo-check",
      ...(session === undefined ? [] : ["resume", session.id]),
      prompt,
    ],
    env: () => ({ SCRIPTED_KEY: "key" }),
  },
  "qwen-code": {
    folder: "qwen/node_modules/.bin/qwen",
    tool: {
      name: "run_shell_command",
      input: (command) => ({ command, description: "Run it", is_background: false }),
    },
    configure({ home, upstream }) {
      const model = {
        id: "scripted-model",
        baseUrl: `${upstream.url}/v1`,
        envKey: "SCRIPTED_KEY",
        generationConfig: { contextWindowSize: WINDOW, samplingParams: { max_tokens: 4000 } },
      };
      write(path.join(home, ".qwen", "settings.json"), {
        security: { auth: { selectedType: "openai" } },
        modelProviders: { openai: [model] },
        general: { disableAutoUpdate: true, disableUpdateNag: true },
        privacy: { usageStatisticsEnabled: false },
      });
    },
    args: (prompt, session) => [
      "-y",
      "--auth-type",
      "openai",
      "-m",
      "scripted-model",
      ...(session === undefined ? [] : ["--resume", session.id]),
      "-p",
      prompt,
    ],
    env: ({ home }) => ({
      SCRIPTED_KEY: "key",
      PATH: [NODE_22, homeEnv(home)["PATH"]].join(path.delimiter),
    }),
  },
  opencode: {
    folder: "opencode/node_modules/.bin/opencode",
    tool: { name: "bash", input: (command) => ({ command, description: "Run it" }) },
    configure({ home, upstream }) {
      write(path.join(home, ".config", "opencode", "opencode.json"), {
        $schema: "https://opencode.ai/config.json",
        autoupdate: false,
        share: "disabled",
        model: "scripted/scripted-model",
        small_model: "scripted/scripted-model",
        permission: { bash: "allow", edit: "allow" },
        provider: {
          scripted: {
            npm: "@ai-sdk/anthropic",
            options: { baseURL: `${upstream.url}/v1`, apiKey: "key" },
            models: {
              "scripted-model": {
                name: "Scripted",
                limit: { context: WINDOW, output: 4000 },
                tool_call: true,
              },
            },
          },
        },
      });
    },
    args: (prompt, session) => [
      "run",
      ...(session === undefined ? [] : ["-s", session.id]),
      prompt,
    ],
    env: () => ({ npm_config_fetch_retries: "0", OPENCODE_DISABLE_MODELS_FETCH: "1" }),
  },
};

export interface Ran {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number;
}

/** Runs a client to its end. */
export function runClient(
  agent: SessionAgent,
  place: Place,
  prompt: string,
  session?: Session,
): Promise<Ran> {
  return runIt(clients[agent], place, prompt, session);
}

export function runIt(
  { folder, args, env }: Client,
  place: Place,
  prompt: string,
  session?: Session,
): Promise<Ran> {
  return run(path.join(CLIENTS, folder), args(prompt, session), {
    cwd: place.cwd,
    env: { ...homeEnv(place.home), ...env(place) },
  });
}

/** A home with nothing of the machine's own in it; the clients are on the path. */
export function homeEnv(home: string): Readonly<Record<string, string>> {
  const bins = Object.values(clients).map(({ folder }) => path.join(CLIENTS, path.dirname(folder)));
  return {
    HOME: home,
    PATH: [...bins, process.env["PATH"] ?? ""].join(path.delimiter),
    XDG_DATA_HOME: path.join(home, ".local", "share"),
    XDG_CONFIG_HOME: path.join(home, ".config"),
    XDG_CACHE_HOME: path.join(home, ".cache"),
    XDG_STATE_HOME: path.join(home, ".local", "state"),
  };
}

/** Runs a program to its end, with nothing on its stdin. */
export function run(
  program: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): Promise<Ran> {
  return new Promise((resolve) => {
    const child = execFile(
      program,
      [...args],
      { ...options, maxBuffer: 1e8, timeout: 600_000 },
      (error, stdout, stderr) => {
        const code = error === null ? 0 : typeof error.code === "number" ? error.code : -1;
        resolve({ stdout, stderr, code });
      },
    );
    child.stdin?.end();
  });
}
