import { readFile } from "node:fs/promises";
import path from "node:path";
import { longhaulHome } from "../archive/home.ts";
import { checkOptions } from "../context/check-options.ts";
import { unknownOption } from "../core/options.ts";
import { ContextError } from "../core/error.ts";
import {
  type Amount,
  amountOption,
  BUDGET_OPTIONS,
  type BudgetOptions,
} from "../core/overflow/budget-options.ts";
import { retentionSetting, type RetentionSetting } from "./retention.ts";
import { markdownTemplate, type TemplateOverride } from "../core/summary/template.ts";
import { protection } from "../core/prune/protection.ts";
import * as rule from "../core/rules.ts";
import { isRecord } from "../core/text/json.ts";
import type { ContextOptions } from "../context/index.ts";

/** The price of a model, in US dollars for a million tokens. */
export interface Price {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  /** For five minutes where there are two kinds. @default the price of input */
  readonly cacheWrite?: number;
  /** For an hour. @default that of `cacheWrite` */
  readonly cacheWriteHour?: number;
}

/** The places of settings. */
export interface SettingsPlace {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder that somebody works in. */
  readonly cwd: string;
}

/** The name of a settings file, in a project and in the state folder. */
const FILE_NAME = "longhaul.json";

/** The fields of a settings file: options of a context that are plain JSON, and of `compact`. */
export interface Settings
  extends
    BudgetOptions,
    Pick<
      ContextOptions,
      | "compactionTemplate"
      | "constraints"
      | "continuation"
      | "describeMedia"
      | "fixedTokens"
      | "toolLimits"
      | "unansweredMedia"
    > {
  readonly protectedTools?: readonly string[];
  readonly summarizer?: string;
  readonly summarizerTimeoutMs?: number;
  readonly summarizerWindow?: number;
  /** Prices by model, in US dollars for a million tokens. */
  readonly prices?: Readonly<Record<string, Price>>;
  /** Limits of the archive, here in ms and bytes. */
  readonly retention?: RetentionSetting;
  /** Of `longhaul gateway`, which says what there is. */
  readonly gateway?: unknown;
}

const AMOUNTS: readonly Amount[] = ["target", "recent", "tail", "pinned", "summary"];
/** A repository's file must not say where a session is sent, nor what is removed. */
const PERSONAL: readonly string[] = [
  "summarizer",
  "summarizerTimeoutMs",
  "summarizerWindow",
  "retention",
  "gateway",
];
const OPTIONS: readonly string[] = [
  "fixedTokens",
  "toolLimits",
  "compactionTemplate",
  "protectedTools",
  "continuation",
  "unansweredMedia",
  "describeMedia",
  "constraints",
];
/** Every name that a settings file may have; `$schema` is for editors. */
export const SETTINGS: readonly string[] = [
  ...BUDGET_OPTIONS,
  ...AMOUNTS,
  ...OPTIONS,
  ...PERSONAL,
  "prices",
  "$schema",
];

/**
 * The settings for a command: those of the person's state folder, and above them those of the
 * project, the nearest `longhaul.json` from the working folder up. Throws `ContextError` code
 * `invalid-options` for a file that is no JSON object, and for names and values that make no sense.
 */
export async function readSettings({ env, cwd }: SettingsPlace): Promise<Settings> {
  const own = path.join(longhaulHome(env), FILE_NAME);
  const personal = await settingsIn(own);
  const project = await nearest(cwd, own);
  return mergedSettings(personal ?? {}, project ?? {});
}

/**
 * The person's own limits of an archive; `undefined`: they set none. Rejects as `readSettings` does
 * for their own file; that of a project has no say.
 */
export async function ownRetention(
  env: SettingsPlace["env"],
): Promise<RetentionSetting | undefined> {
  return (await settingsIn(path.join(longhaulHome(env), FILE_NAME)))?.retention;
}

async function nearest(folder: string, own: string): Promise<Settings | undefined> {
  for (let here = path.resolve(folder); ; here = path.dirname(here)) {
    const file = path.join(here, FILE_NAME);
    const found = file === own ? undefined : await settingsIn(file, { isProject: true });
    if (found !== undefined || here === path.dirname(here)) return found;
  }
}

/** The later ones win; an amount stands for tokens and share of it together. */
export function mergedSettings<Given extends Settings>(before: Settings, later: Given): Given {
  const given = Object.fromEntries(
    Object.entries(later).filter(([, value]) => value !== undefined),
  ) as Given;
  const kept: Partial<Record<string, unknown>> = { ...before };
  for (const amount of AMOUNTS) {
    const names = [`${amount}Tokens`, `${amount}Share`];
    if (names.some((name) => name in given)) for (const name of names) delete kept[name];
  }
  return { ...kept, ...given };
}

async function settingsIn(file: string, { isProject = false } = {}): Promise<Settings | undefined> {
  const text = await readFile(file, "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    return await checkedSettings(JSON.parse(text), file, isProject);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new ContextError("invalid-options", `The settings in ${file} cannot be used: ${why}`, {
      details: { file },
      cause,
    });
  }
}

async function checkedSettings(
  value: unknown,
  file: string,
  isProject: boolean,
): Promise<Settings> {
  if (!isRecord(value)) throw invalid('It holds no object; give one such as { "window": 200000 }.');
  let settings: Settings = {};
  for (const [name, given] of Object.entries(value)) {
    if (!SETTINGS.includes(name)) throw unknownOption(name, SETTINGS);
    if (isProject && PERSONAL.includes(name)) {
      throw invalid(
        `A project does not choose who gets a session, nor what is removed: ${name} stands in the settings of the state folder, or on the command line.`,
      );
    }
    if (name !== "$schema") settings = { ...settings, ...(await setting(name, given, file)) };
  }
  const {
    summarizer,
    summarizerWindow: _,
    prices,
    gateway: _g,
    retention: _r,
    ...options
  } = settings;
  if (!rule.fits(rule.optional(PRICES), prices)) {
    throw invalid(
      'prices must be US dollars for a million tokens by model, e.g. { "my-model": { "input": 3, "output": 15, "cacheRead": 0.3 } }; cacheWrite and cacheWriteHour may be added.',
    );
  }
  if (summarizer !== undefined && typeof summarizer !== "string") {
    throw invalid('The option summarizer must be a name, e.g. "extractive".');
  }
  checkOptions(options);
  protection({ protectedTools: settings.protectedTools });
  return settings;
}

const PRICES = rule.each(
  rule.options<Price>({
    input: rule.AMOUNT,
    output: rule.AMOUNT,
    cacheRead: rule.AMOUNT,
    cacheWrite: rule.optional(rule.AMOUNT),
    cacheWriteHour: rule.optional(rule.AMOUNT),
  }),
);

async function setting(name: string, given: unknown, file: string): Promise<Settings> {
  if (name === "retention") return { retention: retentionSetting(given) };
  const amount = AMOUNTS.find((one) => one === name);
  if (amount !== undefined) return amountOption(amount, String(given));
  if (name !== "compactionTemplate" || typeof given !== "string") return { [name]: given };
  return { compactionTemplate: await readTemplate(path.resolve(path.dirname(file), given)) };
}

function invalid(message: string): ContextError {
  return new ContextError("invalid-options", message);
}

/** The settings that a context takes; the budget goes with what is measured. */
export function contextSettings(settings: Settings): ContextOptions {
  const { compactionTemplate, constraints, continuation, protectedTools } = settings;
  const { describeMedia, toolLimits, unansweredMedia } = settings;
  return {
    compactionTemplate,
    constraints,
    continuation,
    describeMedia,
    protectedTools,
    toolLimits,
    unansweredMedia,
  };
}

/**
 * The template in a file: a JSON override (`{ "sections": [{ "id", "heading", "purpose" }] }`), or
 * Markdown, whose headings are the sections and what stands below each says what it must hold.
 */
export async function readTemplate(file: string): Promise<TemplateOverride> {
  const text = await readFile(file, "utf8").catch((cause: unknown) => {
    const { code } = cause as NodeJS.ErrnoException;
    throw new ContextError(
      "unreadable-file",
      `The template ${file} cannot be read (${code ?? String(cause)}). Check the path.`,
      { details: { file }, cause },
    );
  });
  return text.trimStart().startsWith("{") ? jsonTemplate(text, file) : markdownTemplate(text, file);
}

function jsonTemplate(text: string, file: string): TemplateOverride {
  try {
    return JSON.parse(text) as TemplateOverride;
  } catch (cause) {
    throw new ContextError("invalid-options", `The template ${file} is no valid JSON.`, { cause });
  }
}
