// The whole story: what the user says and what the scripted model does, turn by turn.
import { lookRound } from "./turn-1-look-round.mjs";
import { findTheCents } from "./turn-2-find-the-cents.mjs";
import { fixTheCents } from "./turn-3-fix-the-cents.mjs";
import { lineBreaks } from "./turn-4-line-breaks.mjs";
import { splitTheReport } from "./turn-5-split-the-report.mjs";
import { bigFiles } from "./turn-6-big-files.mjs";
import { freshEyes } from "./turn-7-fresh-eyes.mjs";
import { handOver } from "./turn-8-hand-over.mjs";

export const TITLE = "tillroll: wrong cents, lost orders, slow files";

export const TURNS = [
  lookRound,
  findTheCents,
  fixTheCents,
  lineBreaks,
  splitTheReport,
  bigFiles,
  freshEyes,
  handOver,
];
