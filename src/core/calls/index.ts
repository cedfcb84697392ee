export { describeCall } from "./describe-call.ts";
export type { CallFacts } from "./describe-call.ts";
export { coversRead } from "./file-access.ts";
export type { FileAccess, LineRange } from "./file-access.ts";
export { isAbsolutePath, looksLikeFile, normalizePath, pathFrom, pathKey } from "./path.ts";
export { shellFiles } from "./shell.ts";
export { stepsThatWentWell } from "./shell-text.ts";
export { toolKind } from "./tool-kind.ts";
export type { ToolKind, ToolKinds } from "./tool-kind.ts";
