export { mastraContext } from "./context.ts";
export type { MastraContext, MastraContextOptions, MastraProcessor } from "./context.ts";
export type { ProcessorArgs } from "./conversation.ts";
