export { agentsContext } from "./context.ts";
export type { AgentsContext, AgentsContextOptions } from "./context.ts";
export type { RecallToolOptions } from "./recall-options.ts";
export type { AgentItem, AgentModel, AgentModelProvider, AgentSession } from "./wire.ts";
