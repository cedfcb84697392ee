/** Environment variables. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Those of this process; none where there is no process, e.g. in a browser. */
export function processEnvironment(): Environment {
  const { process } = globalThis as { readonly process?: { readonly env?: Environment } };
  return process?.env ?? {};
}

/** A variable; one that is set to nothing is not set. */
export function variable(env: Environment, name: string): string | undefined {
  const value = env[name]?.trim();
  return value === "" ? undefined : value;
}
