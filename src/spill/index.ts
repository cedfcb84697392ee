export type { CommandLine } from "./command.ts";
export { createSpill } from "./create-spill.ts";
export type { Spill, SpillOptions, SpillResult } from "./create-spill.ts";
export type { Progress } from "./output.ts";
export { runCommand } from "./run-command.ts";
export type { CommandResult, RunOptions } from "./run-command.ts";
