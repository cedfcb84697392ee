import { DEFAULT_WINDOW, modelWindow } from "../core/overflow/index.ts";
import { count } from "./view/figures.ts";
import type { Conversation } from "../transcripts/index.ts";

/** The window a command works with, and who says so. */
export interface ChosenWindow {
  /** `undefined`: nobody knows, and the default is taken. */
  readonly window: number | undefined;
  readonly from: "option" | "session" | "model" | "peak" | "default";
}

/** Windows that models are sold with, for a session that outgrew the one its model's name says. */
const USUAL_WINDOWS: readonly number[] = [200_000, 400_000, 1_000_000, 2_000_000];

/** The option decides, then the session, then its model. */
export function chooseWindow(
  option: number | undefined,
  {
    window,
    model,
    timeline = [],
  }: Pick<Conversation, "window" | "model"> & Partial<Pick<Conversation, "timeline">>,
): ChosenWindow {
  if (option !== undefined) return { window: option, from: "option" };
  if (window !== undefined) return { window, from: "session" };
  const known = modelWindow(model ?? "");
  if (known === undefined) return { window: undefined, from: "default" };
  const peak = timeline.reduce((most, sample) => Math.max(most, sample.tokens), 0);
  if (peak <= known) return { window: known, from: "model" };
  return { window: USUAL_WINDOWS.find((usual) => usual >= peak) ?? peak, from: "peak" };
}

/** What a person should know about the choice; nothing when it is sure. */
export function windowWarnings({ window = DEFAULT_WINDOW, from }: ChosenWindow): string[] {
  if (from === "default") {
    return [
      `the session does not name its model's window; ${count(window)} tokens are assumed (--window changes it)`,
    ];
  }
  if (from !== "peak") return [];
  return [
    `the session once held more than its model is known for; a window of ${count(window)} tokens is assumed (--window changes it)`,
  ];
}
