export { truncateAndArchive } from "./truncate-and-archive.ts";
export type { TruncatedEvent, TruncatedOutput, TruncationOptions } from "./truncate-and-archive.ts";
export { truncateValue } from "./truncate-value.ts";
export { isWrapped, wrapTool, wrapTools } from "./wrap-tool.ts";
export type { WrapToolOptions } from "./wrap-tool.ts";
