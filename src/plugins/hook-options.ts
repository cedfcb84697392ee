import type { Fields } from "../core/text/json.ts";
import type { Settings } from "../settings/settings.ts";
import type { Limits } from "../core/truncate/index.ts";

/** The limits of an output in a plugin; those that are absent are as everywhere else. */
export type HookLimits = Partial<Limits>;

/** An event of an agent, as its hook is to answer it. */
export interface AgentHookEvent {
  readonly event: Fields;
  readonly limits: HookLimits;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The person's settings and those of the project; read when they are asked for. */
  readonly settings: () => Promise<Settings>;
}

/** The limits as words of a hook's command line. */
export function hookWords({ maxLines, maxBytes }: HookLimits): readonly string[] {
  return [
    ...(maxLines === undefined ? [] : [`--max-lines=${maxLines}`]),
    ...(maxBytes === undefined ? [] : [`--max-bytes=${maxBytes}`]),
  ];
}

/** The value of a word of a hook's command line, e.g. of `--state=/a/b`. */
export function hookOption(words: readonly string[], name: string): string | undefined {
  const word = words.find((each) => each.startsWith(`--${name}=`));
  return word?.slice(name.length + "--=".length);
}

/** The limits that those words name; anything else is passed over. */
export function hookLimits(words: readonly string[]): HookLimits {
  const numberOf = (name: string): number | undefined => {
    const value = Number(hookOption(words, name));
    return Number.isSafeInteger(value) && value > 0 ? value : undefined;
  };
  return { maxLines: numberOf("max-lines"), maxBytes: numberOf("max-bytes") };
}
