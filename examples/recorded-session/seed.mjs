// Builds the project that the agent works on: the files under seed/, sample data, and a git history
// with fixed dates and names.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { createSampleFiles } from "./seed-data.mjs";

const SEED = fileURLToPath(new URL("./seed/", import.meta.url));

/** How rounding was written before the commit that broke it. */
const OLD_ROUNDING = "return Math.round((amount + Number.EPSILON) * 100) / 100;";
const NEW_ROUNDING = "return Number(amount.toFixed(2));";

const COMMITS = [
  {
    date: "2025-09-01T09:12:00Z",
    message: "repo: first files",
    files: ["package.json", ".gitignore", ".npmrc", "eslint.config.js"],
  },
  {
    date: "2025-09-01T15:40:00Z",
    message: "csv: read and write",
    files: ["src/csv.js", "test/csv.test.js"],
  },
  {
    date: "2025-09-03T10:05:00Z",
    message: "dates: months and days",
    files: ["src/dates.js", "test/dates.test.js"],
  },
  {
    date: "2025-09-04T11:30:00Z",
    message: "money: rounding, percentages, printing",
    files: ["src/money.js", "test/money.test.js"],
    replace: { "src/money.js": [NEW_ROUNDING, OLD_ROUNDING] },
  },
  {
    date: "2025-09-08T08:55:00Z",
    message: "orders: import the order export",
    files: ["src/orders.js", "test/orders.test.js"],
  },
  {
    date: "2025-09-11T16:20:00Z",
    message: "invoice: one invoice per order, tax by country and class",
    files: ["src/tax.js", "src/invoice.js", "test/tax.test.js", "test/invoice.test.js"],
  },
  {
    date: "2025-09-12T09:00:00Z",
    message: "report: the list as the old program printed it",
    files: ["src/legacy.js"],
  },
  {
    date: "2025-10-02T14:10:00Z",
    message: "report: monthly totals as text, CSV and HTML",
    files: ["src/report.js", "test/report.test.js"],
  },
  {
    date: "2025-11-18T10:45:00Z",
    message: "reconcile: compare invoices with the payment file",
    files: ["src/payments.js", "test/payments.test.js"],
  },
  {
    date: "2025-11-20T13:15:00Z",
    message: "cli: one program with three commands",
    files: ["src/index.js", "src/cli.js", "scripts/make-orders.js"],
  },
  {
    date: "2026-02-26T17:50:00Z",
    message: "money: round with toFixed, it is shorter",
    files: ["src/money.js"],
  },
  {
    date: "2026-03-02T09:30:00Z",
    message: "repo: how to use it, how to work on it, agent skills",
    files: ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", ".agents"],
  },
  {
    date: "2026-04-01T08:00:00Z",
    message: "repo: samples of march",
    files: ["data", "logs"],
  },
];

/**
 * Creates the project.
 *
 * @param {string} project an absolute path; whatever is there is removed
 * @param {NodeJS.ProcessEnv} env the environment to run git in
 */
export function createProject(project, env) {
  rmSync(project, { recursive: true, force: true });
  mkdirSync(project, { recursive: true });
  const git = (args, extra = {}) =>
    execFileSync("git", args, { cwd: project, env: { ...env, ...extra }, stdio: "pipe" });
  const workFiles = createWorkFiles();
  git(["init", "--quiet", "--initial-branch=main"]);
  for (const commit of COMMITS) {
    commit.files.forEach((file) => placeFile(project, file, workFiles, commit.replace?.[file]));
    git(["add", "--", ...commit.files]);
    const stamp = { GIT_AUTHOR_DATE: commit.date, GIT_COMMITTER_DATE: commit.date };
    git(["commit", "--quiet", "-m", commit.message], stamp);
  }
}

/** Files that are not kept under seed/ by the same name. */
function createWorkFiles() {
  return {
    ".gitignore": "node_modules/\nout/\n",
    ".npmrc": "package-lock=false\nfund=false\naudit=false\nupdate-notifier=false\n",
    ...createSampleFiles(),
  };
}

function placeFile(project, file, workFiles, replace) {
  const made = Object.keys(workFiles).filter(
    (path) => path === file || path.startsWith(`${file}/`),
  );
  if (made.length > 0) {
    made.forEach((path) => writeText(join(project, path), workFiles[path]));
  } else if (file === ".agents") {
    cpSync(join(SEED, "skills"), join(project, ".agents/skills"), { recursive: true });
  } else {
    const text = readFileSync(join(SEED, file), "utf8");
    writeText(join(project, file), replace ? replaceOnce(text, replace) : text);
  }
}

function replaceOnce(text, [from, to]) {
  if (!text.includes(from)) {
    throw new Error(`the seed does not hold ${JSON.stringify(from)}`);
  }
  return text.replace(from, to);
}

function writeText(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
