import { bash, edit, exits, grep, read, todo, written, write } from "./calls.mjs";

const RENDER_ALL =
  "for format in text csv html; do node src/cli.js report data/orders-2026-03.csv --format $format > out/$DIR/report.$format; done";

export const splitTheReport = {
  user: `src/report.js does too much. Split the three output formats into files of their own under src/report/, and keep src/report.js as the place that index.js imports from. The output must stay the same, byte for byte: prove it. If really nobody uses src/legacy.js, delete it. From now on, show me git diff --stat before every commit.`,
  steps: [
    {
      say: "I keep the output of all three formats first, to compare with later, and look for users of the legacy file.",
      calls: [
        todo(
          "> Keep today's output of all formats",
          "  Split the formats into src/report/",
          "  Tests for each format",
          "  Delete src/legacy.js if unused",
          "  Prove that the output is the same, diff --stat, commit",
        ),
        bash(
          `DIR=before; mkdir -p out/before; ${RENDER_ALL}; wc out/before/*; cat out/before/report.csv`,
          "Keep the output of all formats",
        ),
        grep("legacy", "."),
        bash(
          "git log --format='%h %ad %s' --date=short -- src/legacy.js; git grep -n legacyList $(git rev-list --all) -- src test scripts | cut -c 1-60 | sort -u | head -40",
          "Look for users of the legacy list in the history",
        ),
      ],
    },
    {
      calls: [
        read("src/report.js"),
        read("test/report.test.js"),
        bash("cat out/before/report.html out/before/report.text", "Read the output of today"),
      ],
    },
    {
      say: "Three files, each with one exported function, and a small table of formats in `report.js`.",
      calls: [
        write("src/report/text.js", written("report/text.js")),
        write("src/report/csv.js", written("report/csv.js")),
        write("src/report/html.js", written("report/html.js")),
        write("src/report.js", written("report.js")),
      ],
    },
    {
      calls: [
        exits(1, bash("npm test", "Run all tests")),
        exits(1, bash("npm run -s lint", "Run the linter")),
      ],
    },
    {
      say: "A wrong path in `text.js`: it has to go one folder up.",
      calls: [
        edit("src/report/text.js", 'from "./money.js";', 'from "../money.js";'),
        write("test/report/formats.test.js", written("report.formats.test.js")),
      ],
    },
    {
      calls: [bash("npm test", "Run all tests")],
    },
    {
      say: "Now the legacy file. Nothing in the sources, tests or scripts ever imported it, and `index.js` does not export it.",
      calls: [bash("git rm --quiet src/legacy.js && ls src src/report", "Delete the legacy list")],
    },
    {
      calls: [
        bash("npm run -s lint && echo 'lint is clean'", "Run the linter"),
        bash(
          `DIR=after; mkdir -p out/after; ${RENDER_ALL}; for f in text csv html; do cmp out/before/report.$f out/after/report.$f && echo "$f: same"; done; sha256sum out/before/report.* out/after/report.*`,
          "Compare the output of all formats",
        ),
      ],
    },
    {
      calls: [
        bash("git add src test && git diff --cached --stat", "Show what will be committed"),
        read("src/report.js"),
        todo(
          "x Keep today's output of all formats",
          "x Split the formats into src/report/",
          "x Tests for each format",
          "x Delete src/legacy.js if unused",
          "> Prove that the output is the same, diff --stat, commit",
        ),
      ],
    },
    {
      say: "You asked to see `git diff --stat` before every commit: it is above. Two topics, so two commits.",
      calls: [
        bash(
          "git reset --quiet && git add src/report.js src/report test/report && git commit -q -m 'report: one file per output format' && git add -A src && git diff --cached --stat && git commit -q -m 'repo: remove the legacy list' && git log --oneline -6",
          "Commit in two steps",
        ),
      ],
    },
    {
      say: `Done:
- \`src/report/text.js\`, \`csv.js\`, \`html.js\`; \`src/report.js\` keeps \`monthlyReport\` and \`renderReport\`, same arguments, same results.
- Output of all three formats on the March sample: the same bytes (\`cmp\` and checksums above).
- New: \`test/report/formats.test.js\`.
- \`src/legacy.js\` deleted: no import in any commit of the history, not part of the public API. The linter is clean now.
- I forgot one folder level in an import; the tests showed it at once.
- Two commits, one topic each; \`git diff --stat\` shown before.`,
    },
  ],
};
