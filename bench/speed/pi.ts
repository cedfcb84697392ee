/** pi's own functions; its package exports only some of them by name, so they are read as files. */
import type { PiEntry } from "./formats.ts";

const PACKAGE = "../node_modules/@earendil-works/pi-coding-agent/dist/core";

export interface PiPreparation {
  readonly messagesToSummarize: readonly unknown[];
  readonly turnPrefixMessages: readonly unknown[];
  readonly firstKeptEntryId: string;
  /** The files that its head read and changed; only its own functions look into it. */
  readonly fileOps: unknown;
}

export interface Pi {
  prepareCompaction(
    entries: readonly PiEntry[],
    settings: { enabled: boolean; reserveTokens: number; keepRecentTokens: number },
  ): PiPreparation | undefined;
  serializeConversation(messages: readonly unknown[]): string;
  convertToLlm(messages: readonly unknown[]): readonly unknown[];
  estimateContextTokens(messages: readonly unknown[]): { readonly tokens: number };
  computeFileLists(fileOps: unknown): {
    readonly readFiles: string[];
    readonly modifiedFiles: string[];
  };
  formatFileOperations(readFiles: string[], modifiedFiles: string[]): string;
  shouldCompact(tokens: number, window: number, settings: object): boolean;
}

export async function loadPi(): Promise<Pi> {
  const load = (file: string): Promise<object> =>
    import(new URL(`${PACKAGE}/${file}`, import.meta.url).href);
  const parts = await Promise.all([
    load("compaction/index.js"),
    load("compaction/utils.js"),
    load("messages.js"),
  ]);
  return Object.assign({}, ...parts) as Pi;
}
