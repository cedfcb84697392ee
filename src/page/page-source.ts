import type { ConversationRow, Replay } from "./data.ts";
import type { Originals } from "./originals.ts";
import type { Page } from "./page-data.ts";

/** What a page on a server shows. */
export interface PageSource {
  conversations(): readonly ConversationRow[];
  /** `undefined` for an id that there is not. */
  page(id: string): Page | undefined;
  /** The session as Longhaul would have kept it in a window; absent where nobody can work it out. */
  replay?: (id: string, window: number) => Promise<Replay>;
  /** What the model got cut or as placeholders. */
  readonly originals?: Originals;
  /** The page as it goes into a file. @default as it is shown */
  toExport?: (page: Page) => Promise<Page>;
  /** Calls back with the id of a conversation that went on; returns how to stop that. */
  watch?: (heard: (id: string) => void) => () => void;
}
