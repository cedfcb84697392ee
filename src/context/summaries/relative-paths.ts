import type { Ledger } from "../../core/ledger/index.ts";

/** Files by their path from the working directory, which the summary names once. */
export function withRelativePaths(ledger: Ledger, cwd: string | undefined): Ledger {
  if (cwd === undefined) return ledger;
  const root = cwd.endsWith("/") ? cwd : `${cwd}/`;
  const relative = (path: string): string =>
    path.startsWith(root) && path.length > root.length ? path.slice(root.length) : path;
  return {
    ...ledger,
    files: ledger.files.map((file) => ({ ...file, path: relative(file.path) })),
    errors: ledger.errors.map((error) => ({ ...error, subject: relative(error.subject) })),
  };
}
