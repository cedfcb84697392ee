/** The person's message, which is the beginning of everything. */
export const OFFLINE_TASK = `Some of our invoices are a cent off: the reconcile command shows the differences to the payments.
Read INBOX.md first, then delete it. Go through the modules in src/ one by one, with tests, callers and the nightly log, and keep notes in NOTES.md.
Find the module that is to blame, add a test that fails, repair the module, run all tests, and add a section to CHANGELOG.md that names the release ticket.
Never change src/legacy.js: the accountants still compare with it.
At the end tell me how many orders differed before and after, and the release ticket.`;

/** What stands in INBOX.md, and nowhere else. */
export const INBOX = `# Inbox

- The release ticket for the rounding repair is TR-4711-KINGFISHER. Release it on a Tuesday.
- Ada is on leave until the 14th; ask Ben about payments.
`;

/** The modules that the task is about, as `src/NAME.js`. */
export const MODULES = "cli csv dates index invoice legacy money orders payments report tax".split(
  " ",
);

/** Shows how many orders differ from their payment. */
export const RECONCILE =
  "node src/cli.js reconcile --quiet data/orders-2026-03.csv data/payments-2026-03.csv";
