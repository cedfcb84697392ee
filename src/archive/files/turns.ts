import { setImmediate as nextTurn } from "node:timers/promises";

/** For so long the process may do nothing else. */
const TURN_MS = 8;

/**
 * For work of many small steps, each too short to be given to another thread: call it between two
 * steps, and others get their turn when it is time.
 */
export function createTurns(): () => Promise<void> | undefined {
  let since = performance.now();
  return () => {
    if (performance.now() - since < TURN_MS) return undefined;
    return nextTurn().then(() => void (since = performance.now()));
  };
}
