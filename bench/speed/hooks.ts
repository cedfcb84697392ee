/**
 * What a hook costs in a step with nothing to do, side by side with the middleware that other
 * libraries have at the same place: `npx tsx bench/speed/hooks.ts [ROW-FILTER]`.
 */
import { AGENT_ROWS } from "./agent-rows.ts";
import { HOOK_ROWS } from "./hook-rows.ts";
import { timeSteps } from "./time-steps.ts";

await timeSteps("hooks", [...HOOK_ROWS, ...AGENT_ROWS]);
