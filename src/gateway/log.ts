/** One thing that happened; no field ever holds content of a conversation, or a credential. */
export interface LogEntry {
  readonly level: "info" | "warn";
  readonly event: "request" | "failed" | "edited" | "stopping";
  readonly [field: string]: unknown;
}
