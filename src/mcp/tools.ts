import {
  imagesOf,
  type RecallInput,
  recallTools,
  type SearchInput,
} from "../archive/recall-tools.ts";
import { memoryArchive } from "../archive/memory.ts";
import type { Archive } from "../archive/archive.ts";
import type { Fields } from "../core/text/json.ts";

/** One call: what the model gave, and what the agent says about it. */
export interface McpCall {
  readonly input: Fields;
  readonly meta: Fields;
}

export type Content =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly data: string; readonly mimeType: string };

export interface McpTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** JSON Schema. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  run(call: McpCall): Promise<readonly Content[]>;
}

export interface McpScope {
  readonly archive: Archive;
  /** The model's own input, without what a hook added. */
  readonly input: Fields;
}

interface ArchiveTools {
  /** Throws for a call that belongs to nobody. */
  readonly scopeOf: (call: McpCall) => McpScope;
  /** Is waited for before a search. */
  readonly beforeSearch?: (call: McpCall) => Promise<void>;
}

/** `recall` and `search`, each in what the call may see. */
export function archiveTools({ scopeOf, beforeSearch }: ArchiveTools): readonly McpTool[] {
  const { recall, search_archive: search } = recallTools(memoryArchive());
  return [
    {
      name: "recall",
      title: "Recall an original",
      description: recall.description.replace("search_archive", "search"),
      inputSchema: { ...recall.inputSchema, required: ["handle"] },
      async run(call) {
        const { archive, input } = scopeOf(call);
        const asked = input as unknown as RecallInput;
        const text = await recallTools(archive).recall.execute(asked);
        const images = await imagesOf(archive, asked);
        const pictures = images.map(({ data, mediaType }) => ({
          type: "image" as const,
          data,
          mimeType: mediaType,
        }));
        return [{ type: "text", text }, ...pictures];
      },
    },
    {
      name: "search",
      title: "Search what left the context",
      description: search.description,
      inputSchema: { ...search.inputSchema, required: ["pattern"] },
      async run(call) {
        const { archive, input } = scopeOf(call);
        await beforeSearch?.(call);
        const asked = input as unknown as SearchInput;
        return texts(await recallTools(archive).search_archive.execute(asked));
      },
    },
  ];
}

/** `window`, which says what this tells. */
export function windowTool(tell: (call: McpCall) => Promise<string>): McpTool {
  return {
    name: "window",
    title: "How full the window is",
    description:
      "Says how full the context window of this session is and what fills it: by kind, by tool, the largest pieces.",
    inputSchema: NO_INPUT,
    run: async (call) => texts(await tell(call)),
  };
}

function texts(text: string): readonly Content[] {
  return [{ type: "text", text }];
}

const NO_INPUT = { type: "object", properties: {}, additionalProperties: false };
