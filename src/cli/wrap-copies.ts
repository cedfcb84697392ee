import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parse } from "jsonc-parser";
import { wrongUse } from "../core/error.ts";
import { fieldsOf } from "../core/text/json.ts";
import { homeOf } from "./sessions/sessions.ts";
import type { Io } from "./io.ts";

/** The address for a client's requests. */
export interface GatewayAddress {
  /** For Anthropic clients; OpenAI clients take it with `/v1` behind it. */
  readonly url: string;
  /** The provider of the client's own configuration that goes there. @default those built in */
  readonly provider?: string;
  /** Whether that provider speaks Anthropic Messages. */
  readonly isAnthropic: boolean;
}

/** The start of one child. */
export interface ChildSettings {
  /** Before the arguments that the person gave. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Removes what was made for the child. */
  readonly cleanUp: () => void;
}

/** The world in which a client finds its own settings. */
export type ClientWorld = Pick<Io, "env" | "cwd">;

/*
 * Clients that read their providers' addresses from a file only get a copy of it for one child, readable
 * by its owner alone; the person's own file stays as it is.
 */

/** Qwen Code lets a file of the system decide over the person's own; beside the addresses ours says what that said. */
export function qwenSettings(
  address: GatewayAddress,
  { env, cwd }: ClientWorld,
): Partial<ChildSettings> {
  const home = env["QWEN_HOME"] || path.join(homeOf({ env }), ".qwen");
  const system = env["QWEN_CODE_SYSTEM_SETTINGS_PATH"] || "/etc/qwen-code/settings.json";
  const own = path.join(home, "settings.json");
  const files = [own, path.join(cwd, ".qwen", "settings.json"), system];
  const settings = files.map((file) => fieldsIn(readText(file) ?? ""));
  const kinds: Record<string, unknown> = Object.assign(
    {},
    ...settings.map((one) => fieldsOf(one["modelProviders"])),
  );
  let found = false;
  const changed = Object.entries(kinds).map(([kind, models]) => {
    const base = kind === "anthropic" ? address.url : `${address.url}/v1`;
    const list = (Array.isArray(models) ? models : []).map((model: unknown) => {
      const fields = fieldsOf(model);
      const names = [kind, fields["id"], fields["name"]];
      if (!isMeant(address, names, fields["baseUrl"])) return model;
      found = true;
      return { ...fields, baseUrl: base };
    });
    return [kind, list];
  });
  if (!found) return missed(address, own) ?? {};
  const made = {
    ...settings[2],
    modelProviders: Object.fromEntries(changed) as Record<string, unknown>,
  };
  const { file, cleanUp } = copyOf("settings.json", JSON.stringify(made));
  return { env: { QWEN_CODE_SYSTEM_SETTINGS_PATH: file }, cleanUp };
}

/** Cline gets its providers' file with those only that go through the gateway: no login is copied. */
export function clineSettings(
  address: GatewayAddress,
  { env }: ClientWorld,
): Partial<ChildSettings> {
  const { CLINE_PROVIDER_SETTINGS_PATH: said, CLINE_DATA_DIR: data, CLINE_DIR: folder } = env;
  const home = data || path.join(folder || path.join(homeOf({ env }), ".cline"), "data");
  const own = said || path.join(home, "settings", "providers.json");
  const settings = fieldsIn(readText(own) ?? "");
  const kept = Object.entries(fieldsOf(settings["providers"])).flatMap(([name, entry]) => {
    const fields = fieldsOf(fieldsOf(entry)["settings"]);
    const isKnown = address.provider !== undefined || /^(?:anthropic|openai-native)$/.test(name);
    if (!isKnown || !isMeant(address, [name], fields["baseUrl"])) return [];
    return [[name, { ...fieldsOf(entry), settings: { ...fields, baseUrl: `${address.url}/v1` } }]];
  });
  if (kept.length === 0) return missed(address, own) ?? {};
  const providers = Object.fromEntries(kept) as Record<string, unknown>;
  const last = String(settings["lastUsedProvider"]);
  const lastUsedProvider = last in providers ? last : Object.keys(providers)[0];
  const made = JSON.stringify({ ...settings, providers, lastUsedProvider });
  const { file, cleanUp } = copyOf("providers.json", made);
  // Its daemon would outlive the gateway, and serve other sessions with this file.
  return {
    env: { CLINE_PROVIDER_SETTINGS_PATH: file, CLINE_SESSION_BACKEND_MODE: "local" },
    cleanUp,
  };
}

export function continueSettings(
  address: GatewayAddress,
  { env }: ClientWorld,
): Partial<ChildSettings> {
  const home = env["CONTINUE_GLOBAL_DIR"] || path.join(homeOf({ env }), ".continue");
  const own = path.join(home, "config.yaml");
  const text = readText(own) ?? "";
  const made = withApiBase(text, ({ provider, name, model, apiBase }) => {
    const isKnown = address.provider !== undefined || /^(?:anthropic|openai)$/.test(provider ?? "");
    return isKnown && isMeant(address, [provider, name, model], apiBase)
      ? `${address.url}/v1`
      : undefined;
  });
  if (made === text) return missed(address, own) ?? {};
  const { file, cleanUp } = copyOf("config.yaml", made);
  return { args: ["--config", file], cleanUp };
}

/** Those that the person named, else those at the providers' own addresses: no key goes to another. */
function isMeant({ provider }: GatewayAddress, names: readonly unknown[], base: unknown): boolean {
  if (provider !== undefined) return names.includes(provider);
  return (
    typeof base !== "string" ||
    base === "" ||
    /^https:\/\/api\.(?:openai|anthropic)\.com(?:\/|$)/.test(base)
  );
}

/** A provider that the person named must be there. */
function missed({ provider }: GatewayAddress, file: string): undefined {
  if (provider === undefined) return undefined;
  throw wrongUse(`There is no provider or model ${provider} in ${file}.`, {
    option: "provider",
    value: provider,
  });
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

function fieldsIn(text: string): ReturnType<typeof fieldsOf> {
  return fieldsOf(parse(text));
}

/** A file in a folder of its own, which goes with the child. */
export function copyOf(
  name: string,
  text: string,
): { readonly file: string; readonly cleanUp: () => void } {
  const folder = mkdtempSync(path.join(tmpdir(), "longhaul-wrap-"));
  const file = path.join(folder, name);
  writeFileSync(file, text, { mode: 0o600 });
  return { file, cleanUp: () => rmSync(folder, { recursive: true, force: true }) };
}

/** The fields of a model, as far as they stand on lines of their own. */
type ModelFields = Readonly<Record<string, string | undefined>>;

/**
 * The configuration of Continue, in YAML, with other addresses: `baseOf` says the `apiBase` of each model,
 * or `undefined` for one that stays. Only entries in block style are seen, as Continue writes them; all
 * other lines stay as they are.
 */
function withApiBase(text: string, baseOf: (fields: ModelFields) => string | undefined): string {
  const lines = text.split("\n");
  const made = [...lines];
  const added = new Map<number, string>();
  for (const [at, line] of lines.entries()) {
    const start = /^ *- +(?=\w+:)/.exec(line)?.[0];
    if (start === undefined) continue;
    const item = itemAt(lines, at, start.length);
    const base = item.fields["provider"] === undefined ? undefined : baseOf(item.fields);
    if (base === undefined) continue;
    const field = `apiBase: ${JSON.stringify(base)}`;
    const own = item.places["apiBase"];
    if (own === undefined)
      added.set(item.places["provider"] ?? at, " ".repeat(start.length) + field);
    else made[own] = `${(lines[own] ?? "").slice(0, start.length)}${field}`;
  }
  return made
    .flatMap((line, at) => [line, ...(added.has(at) ? [added.get(at) ?? ""] : [])])
    .join("\n");
}

interface Item {
  readonly fields: ModelFields;
  /** The line of each. */
  readonly places: Readonly<Record<string, number>>;
}

/** The entry of a list that begins at a line, and whose fields begin at a column. */
function itemAt(lines: readonly string[], from: number, column: number): Item {
  const fields: Record<string, string> = {};
  const places: Record<string, number> = {};
  for (let at = from; at < lines.length; at++) {
    const line = lines[at] ?? "";
    const indent = line.search(/[^ ]/);
    if (at > from && indent >= 0 && indent < column && line[indent] !== "#") break;
    const [, key, value = ""] = /^(\w+): *(.*?) *(?: #.*)?\r?$/.exec(line.slice(column)) ?? [];
    if (key === undefined || (at > from && indent !== column)) continue;
    fields[key] = value.replace(/^(["'])(.*)\1$/, "$2");
    places[key] = at;
  }
  return { fields, places };
}
