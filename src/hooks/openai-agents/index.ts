export { longhaul } from "./longhaul.ts";
export type { AgentsContext, AgentsContextOptions } from "./longhaul.ts";
export type { RecallToolOptions } from "./recall-options.ts";
export type { AgentItem, AgentModel, AgentModelProvider, AgentSession } from "./wire.ts";
