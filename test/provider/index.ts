export { MISBEHAVIOURS, PLAIN_SUMMARY } from "./misbehave.ts";
export type { Misbehaviour } from "./misbehave.ts";
export { startUpstream } from "./server.ts";
export type {
  Answer,
  Finish,
  LoggedRequest,
  Misbehave,
  Outcome,
  ProtocolName,
  Reply,
  ReplyPart,
  RequestView,
  Script,
  ScriptContext,
  Upstream,
  UpstreamOptions,
  Usage,
  ViewCall,
  ViewMessage,
  ViewResult,
  ViewTool,
} from "./types.ts";
