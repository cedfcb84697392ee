import { readFileSync } from "node:fs";
import path from "node:path";
import { fieldsOf } from "../../core/text/json.ts";
import { flag, number } from "../../transcripts/lenient.ts";

/** pi's own default. */
const PI_RESERVES = 16_384;

interface Place {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly cwd: string;
}

/**
 * The most that a request may have, in tokens, so that pi itself never has to compact: it does when
 * an answer ends with less than so many left. `undefined` where its own compaction is off, or where
 * it would begin in the first quarter of the window: then both do.
 */
export function inputBeside(
  place: Place,
  { window, maxOutput }: { readonly window: number; readonly maxOutput: number },
): number | undefined {
  const folder = place.env["PI_CODING_AGENT_DIR"] ?? path.join(place.home, ".pi", "agent");
  const own = compactionIn(path.join(folder, "settings.json"));
  const project = compactionIn(path.join(place.cwd, ".pi", "settings.json"));
  if ((flag(project["enabled"]) ?? flag(own["enabled"])) === false) return undefined;
  const kept = number(project["reserveTokens"]) ?? number(own["reserveTokens"]) ?? PI_RESERVES;
  const most = window - kept - maxOutput;
  return most < window / 4 ? undefined : most;
}

function compactionIn(file: string): Readonly<Record<string, unknown>> {
  try {
    const settings: unknown = JSON.parse(readFileSync(file, "utf8"));
    return fieldsOf(fieldsOf(settings)["compaction"]);
  } catch {
    // No file, or one that pi does not read either.
    return {};
  }
}
