// Refuses to publish while a field of package.json holds the place of something that is not known yet.
import { readFileSync } from "node:fs";

const fields = JSON.parse(readFileSync("package.json", "utf8"));
const open = ["repository", "homepage", "bugs"].filter((name) =>
  JSON.stringify(fields[name]).includes("/OWNER/"),
);
if (open.length > 0) {
  console.error(`Put the owner of the repository into package.json first: ${open.join(", ")}.`);
  process.exitCode = 1;
}
