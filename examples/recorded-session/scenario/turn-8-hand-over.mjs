import { bash } from "./calls.mjs";

export const handOver = {
  user: `Thanks. Last thing, for the colleague who takes over tomorrow: list the rules I gave you today that still hold, the commits with one line each, and what is open.`,
  steps: [
    {
      calls: [
        bash("git log --reverse --format='%h %s' --since=2026-04-02", "List today's commits"),
      ],
    },
    {
      say: `Rules that still hold:
- Never touch \`src/index.js\`, nor names, arguments or return shapes of what it exports.
- No new dependencies.
- npm, not pnpm (pnpm was the first wish; it is not installed).
- Short bullets.
- Test first: the test must fail before the fix.
- One topic per commit, message in the style of the repository.
- Never edit anything under \`data/\` or \`logs/\`.
- Show \`git diff --stat\` before every commit.
- Generated files under \`out/\`, cleaned up afterwards.
- Simple code: no threads, no caches, no tricks.

Commits, oldest first:
- money: count in whole cents, round half up: the cents of March.
- csv: line breaks in quoted fields, real line numbers in warnings: the four lost orders.
- report: one file per output format: same output, three small files.
- repo: remove the legacy list: nobody used it.
- csv, reconcile: linear time on big files: no long wait on 40,000 rows.
- csv: an empty file is read as a file without columns: a slip of mine.
- repo: version 0.4.2: changelog, version, README.

Open:
- Three March orders are not paid: A-100058, A-100211, A-100377. A matter for accounting.
- Three functions in \`dates.js\` are used by tests only.
- Invoices are sorted by order number as text.
- Nothing is pushed; there is no remote.`,
    },
  ],
};
