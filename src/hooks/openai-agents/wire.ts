/**
 * An item of the OpenAI Agents SDK (`AgentInputItem`), as far as it is looked into. Unknown items and
 * fields travel untouched.
 */
export interface AgentItem {
  /** Absent on a message. */
  readonly type?: string | undefined;
  readonly id?: string | undefined;
  /** On messages. */
  readonly role?: string | undefined;
}

/** What the SDK hands to a model (`ModelRequest`). */
export interface ModelRequest {
  readonly systemInstructions?: string | undefined;
  readonly input: string | readonly AgentItem[];
  readonly previousResponseId?: string | undefined;
  readonly conversationId?: string | undefined;
  readonly modelSettings: ModelSettings;
  readonly tools: readonly unknown[];
  readonly handoffs: readonly unknown[];
  readonly signal?: AbortSignal | undefined;
}

export interface ModelSettings {
  readonly truncation?: unknown;
  readonly contextManagement?: unknown;
  readonly providerData?: Readonly<Record<string, unknown>> | undefined;
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

/** Where the SDK keeps the history of a conversation (`Session`). */
export interface AgentSession {
  getSessionId(): Promise<string>;
  getItems(limit?: number): Promise<AgentItem[]>;
  addItems(items: never): Promise<void>;
  popItem(): Promise<AgentItem | undefined>;
  clearSession(): Promise<void>;
}
