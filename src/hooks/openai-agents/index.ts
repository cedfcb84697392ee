export { agentsContext } from "./context.ts";
export type { AgentsContext, AgentsContextOptions } from "./context.ts";
export type { RecallPiece, RecallToolOptions } from "./tools.ts";
export type {
  AgentItem,
  AgentModel,
  AgentModelProvider,
  AgentSession,
  ModelRequest,
} from "./wire.ts";
