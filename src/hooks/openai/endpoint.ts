import type { PrepareOptions } from "../../context/index.ts";
import type { Usage } from "../../core/message/index.ts";
import type { Dialect } from "../../dialects/dialect.ts";

/** One of the two APIs: where its requests keep the conversation, and what its answers report. */
export interface Endpoint<Params, Native> {
  /** How the path of its URL ends. */
  readonly path: string;
  readonly dialect: Dialect<readonly Native[], Native>;
  /** The messages of a request; `undefined` if there are none. */
  messagesOf(params: Params): readonly Native[] | undefined;
  withMessages<Given extends Params>(params: Given, messages: readonly Native[]): Given;
  /** What the request carries beside them. */
  besideOf(params: Params): Pick<PrepareOptions, "instructions" | "tools">;
  /** What shows that somebody else keeps or edits the conversation. */
  managedBy(params: Params): string | undefined;
  /** The field `usage` of an answer; `undefined` if it is none. */
  usageOf(reported: unknown): Usage | undefined;
}

/** A count of tokens in an answer; servers that imitate the API leave some out. */
export function count(object: unknown, field: string): number | undefined {
  if (typeof object !== "object" || object === null) return undefined;
  const value = (object as Readonly<Record<string, unknown>>)[field];
  return typeof value === "number" && value >= 0 ? value : undefined;
}
