/**
 * An item of the OpenAI Agents SDK (`AgentInputItem`), as far as it is looked into. Unknown items and
 * fields travel untouched.
 */
export interface AgentItem {
  /** Absent on a message. */
  readonly type?: string;
  readonly id?: string;
  /** On messages. */
  readonly role?: string;
}

/** A request as the SDK hands it to a model (`ModelRequest`). */
export interface ModelRequest {
  readonly systemInstructions?: string;
  readonly input: string | readonly AgentItem[];
  readonly previousResponseId?: string;
  readonly conversationId?: string;
  readonly modelSettings: ModelSettings;
  readonly tools: readonly unknown[];
  readonly handoffs: readonly unknown[];
  readonly signal?: AbortSignal;
}

export interface ModelSettings {
  readonly maxTokens?: number;
  readonly truncation?: unknown;
  readonly contextManagement?: unknown;
  readonly providerData?: Readonly<Record<string, unknown>>;
}

/** A model of the SDK (`Model`). */
export interface AgentModel {
  getResponse(request: never): Promise<{ readonly usage: unknown }>;
  getStreamedResponse(request: never): AsyncIterable<{ readonly type: string }>;
}

/** A provider of models (`ModelProvider`). */
export interface AgentModelProvider {
  getModel(name?: string): AgentModel | Promise<AgentModel>;
}

/** The SDK's store of one conversation's history (`Session`). */
export interface AgentSession {
  getSessionId(): Promise<string>;
  getItems(limit?: number): Promise<AgentItem[]>;
  addItems(items: never): Promise<void>;
  popItem(): Promise<AgentItem | undefined>;
  clearSession(): Promise<void>;
}
