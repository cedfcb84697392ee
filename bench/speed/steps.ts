/** Steps with nothing to do, side by side: `npx tsx bench/speed/steps.ts [ROW-FILTER]`. */
import { STEP_ROWS } from "./step-rows.ts";
import { timeSteps } from "./time-steps.ts";

await timeSteps("steps", STEP_ROWS);
