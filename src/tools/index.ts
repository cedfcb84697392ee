export { truncateAndArchive } from "./truncate-and-archive.ts";
export type { TruncatedEvent, TruncatedOutput, TruncationOptions } from "./truncate-and-archive.ts";
export { wrapTool, wrapTools } from "./wrap-tool.ts";
export type { WrapToolOptions } from "./wrap-tool.ts";
