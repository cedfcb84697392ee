// What a recording must be like before it is written.

const WINDOW = 128_000;

/**
 * Compares what happened with what the script expected of each call.
 *
 * @param {object} session an opencode export
 * @param {object[]} steps the scripted steps
 * @returns {string[]} one sentence for each call that went another way
 */
export function findSurprises(session, steps) {
  const parts = session.messages.flatMap((message) => message.parts);
  const byId = new Map(parts.filter((part) => part.type === "tool").map((p) => [p.callID, p]));
  return steps.flatMap((step, stepIndex) =>
    (step.calls ?? []).flatMap((call, callIndex) => {
      const id = `call_${String(stepIndex + 1).padStart(3, "0")}_${callIndex + 1}`;
      const problem = judgeCall(call, byId.get(id));
      return problem ? [`${id} (${call.tool}): ${problem}`] : [];
    }),
  );
}

function judgeCall(call, part) {
  if (part === undefined) {
    return "the client never ran it";
  }
  const status = call.expect === "error" ? "error" : "completed";
  if (part.state.status !== status) {
    return `${part.state.status} instead of ${status}: ${part.state.error ?? part.state.output}`;
  }
  const exit = part.state.metadata?.exit ?? 0;
  if (call.tool === "bash" && call.input.timeout === undefined && exit !== (call.exit ?? 0)) {
    return `exit code ${exit} instead of ${call.exit ?? 0}: ${part.state.output.slice(0, 1500)}`;
  }
  return undefined;
}

/**
 * Checks the counts of a recording against what the example promises.
 *
 * @param {ReturnType<import("./count.mjs").countSession>} counts
 * @param {{ turns: number, steps: number }} script
 * @returns {string[]} one sentence for each broken promise
 */
export function checkCounts(counts, script) {
  const promises = {
    [`overflows a window of ${WINDOW} tokens`]: counts.lastReportedInput > WINDOW,
    "holds more than 100,000 tokens": counts.tokens.total > 100_000,
    "has all turns": counts.turns === script.turns,
    "has all steps": counts.steps === script.steps,
    "has steps with parallel calls": counts.stepsWithParallelCalls > 10,
    "has errors": counts.errors > 0 && counts.failedCommands > 5,
    "was not compacted by the client": counts.compactions === 0,
    "used the skill and todo tools": counts.tools.skill > 0 && counts.tools.todowrite > 0,
  };
  return Object.entries(promises).flatMap(([promise, kept]) =>
    kept ? [] : [`not true: ${promise}`],
  );
}
