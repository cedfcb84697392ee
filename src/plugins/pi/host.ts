import type { PiMessage } from "../../resume/pi-messages.ts";

/** The part of pi's extension API that is used here; structural, so that no version of pi is needed. */
export interface PiApi {
  on(event: string, handler: (event: never, context: PiContext) => unknown): void;
  registerTool(tool: PiTool): void;
  registerCommand(
    name: string,
    command: {
      readonly description: string;
      readonly handler: (args: string, context: PiContext) => Promise<void>;
    },
  ): void;
  getActiveTools(): readonly string[];
  getAllTools(): readonly Pick<PiTool, "name" | "description" | "parameters">[];
}

export interface PiTool {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  /** JSON Schema. */
  readonly parameters: unknown;
  /** With the id of the call, its input, a signal, a function for progress, and the context. */
  readonly execute: (
    ...call: [string, unknown, unknown, unknown, PiContext]
  ) => Promise<{ readonly content: readonly PiBlock[]; readonly details: unknown }>;
}

export type PiBlock =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly data: string; readonly mimeType: string };

/** The context of an event. */
export interface PiContext {
  readonly cwd: string;
  readonly hasUI: boolean;
  readonly ui: { notify(text: string, type?: "info"): void };
  readonly model?: PiModel | undefined;
  readonly sessionManager: {
    getSessionId(): string;
    buildSessionContext?(): { readonly messages: readonly PiMessage[] };
  };
  readonly getSystemPrompt?: (this: void) => string;
}

export interface PiModel {
  readonly id: string;
  readonly contextWindow?: number;
  readonly maxTokens?: number;
}

/** A request is about to be sent; other messages may be sent in place of these. */
export interface PiContextEvent {
  readonly messages: PiMessage[];
}

/** A tool has answered. */
export interface PiToolResultEvent {
  readonly toolName: string;
  readonly input: unknown;
  readonly content: readonly PiBlock[];
}

/** pi is about to compact. */
export interface PiCompactEvent {
  readonly preparation: {
    readonly messagesToSummarize?: readonly PiMessage[];
    readonly turnPrefixMessages?: readonly PiMessage[];
    readonly previousSummary?: string;
    readonly firstKeptEntryId: string;
    readonly tokensBefore: number;
  };
}

/** A message has ended; a reply may be an error of the provider. */
export interface PiMessageEvent {
  readonly message: PiMessage;
}
