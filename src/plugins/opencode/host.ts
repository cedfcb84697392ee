import type { Fields } from "../../core/text/json.ts";
import type { OpencodeMessage } from "./encode.ts";

/** The part of opencode's plugin API that is used here; structural, so that no version of it is needed. */
export interface OpencodeInput {
  /** The folder that is worked in. */
  readonly directory?: string;
  readonly client?: {
    readonly config?: { providers?(): Promise<unknown> };
    readonly session?: {
      messages?(of: { readonly path: { readonly id: string } }): Promise<unknown>;
      /** The call below the methods of the client: it has none for a single part. */
      readonly _client?: { patch?(request: OpencodeRequest): Promise<unknown> };
    };
  };
}

/** A request to opencode's own server. */
interface OpencodeRequest {
  readonly url: string;
  readonly path: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
}

/** Hooks that opencode calls; each `output` is changed in place. */
export interface OpencodeHooks {
  config(config: OpencodeConfig): Promise<void>;
  event(input: { readonly event: OpencodeEvent }): Promise<void>;
  readonly tool: Readonly<Record<string, OpencodeTool>>;
  "tool.definition"(
    input: { readonly toolID: string },
    output: { readonly description: string; readonly parameters: unknown },
  ): Promise<void>;
  "tool.execute.after"(input: ToolCall, output: ToolOutput): Promise<void>;
  "chat.params"(input: {
    readonly sessionID: string;
    readonly model: OpencodeModel;
  }): Promise<void>;
  "command.execute.before"(
    input: { readonly command: string; readonly sessionID: string },
    output: { readonly parts: Fields[] },
  ): Promise<void>;
  "experimental.chat.system.transform"(
    input: { readonly sessionID?: string },
    output: { readonly system: readonly string[] },
  ): Promise<void>;
  "experimental.chat.messages.transform"(
    input: object,
    output: { readonly messages: OpencodeMessage[] },
  ): Promise<void>;
  "experimental.session.compacting"(
    input: { readonly sessionID: string },
    output: { prompt?: string },
  ): Promise<void>;
  "experimental.text.complete"(
    input: { readonly sessionID: string; readonly messageID: string },
    output: { text: string },
  ): Promise<void>;
}

export interface OpencodeEvent {
  readonly type: string;
  readonly properties?: Fields;
}

export interface OpencodeConfig {
  command?: Record<string, { readonly template: string; readonly description?: string }>;
  readonly compaction?: { readonly auto?: boolean; readonly reserved?: number };
}

export interface OpencodeModel {
  readonly id: string;
  readonly providerID?: string;
  readonly limit?: { readonly context?: number; readonly input?: number; readonly output?: number };
}

export interface OpencodeTool {
  readonly description: string;
  /** JSON Schema of each argument. */
  readonly args: Fields;
  execute(input: unknown, context: { readonly sessionID: string }): Promise<string>;
}

export interface ToolCall {
  readonly tool: string;
  readonly sessionID: string;
  readonly args?: unknown;
}

/** A text, or what an MCP server answered. */
export interface ToolOutput {
  output?: unknown;
  content?: unknown;
}
