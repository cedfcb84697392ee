import { isWireObject, type WireObject } from "../../dialects/wire.ts";

/** The action of a shell call in the names of the API. */
export function shellActionView(action: unknown): unknown {
  if (!isWireObject(action)) return action;
  const { timeoutMs, maxOutputLength, ...rest } = action;
  return {
    ...rest,
    ...(timeoutMs !== undefined && { timeout_ms: timeoutMs }),
    ...(maxOutputLength !== undefined && { max_output_length: maxOutputLength }),
  };
}

/** And back. */
export function shellAction(action: unknown): unknown {
  if (!isWireObject(action)) return action;
  const { timeout_ms, max_output_length, ...rest } = action;
  return {
    ...rest,
    ...(timeout_ms != null && { timeoutMs: timeout_ms }),
    ...(max_output_length != null && { maxOutputLength: max_output_length }),
  };
}

/** The output of a shell call: a piece for each command. */
export function shellOutputView(output: unknown): unknown {
  return pieces(output, "exitCode", "exit_code");
}

export function shellOutput(output: unknown): unknown {
  return pieces(output, "exit_code", "exitCode");
}

function pieces(output: unknown, from: string, to: string): unknown {
  if (!Array.isArray(output)) return output;
  return output.map((piece: unknown) => {
    if (!isWireObject(piece) || !isWireObject(piece["outcome"])) return piece;
    return { ...piece, outcome: renamed(piece["outcome"], from, to) };
  });
}

function renamed(object: WireObject, from: string, to: string): WireObject {
  const { [from]: value, ...rest } = object;
  return value === undefined ? rest : { ...rest, [to]: value };
}
