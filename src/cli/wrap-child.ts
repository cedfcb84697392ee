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
