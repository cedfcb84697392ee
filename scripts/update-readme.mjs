// Puts the demo's real output into the README. Run it when a change makes the demo print other
// figures; a test holds the two together.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";

const printed = execFileSync("npm", ["run", "--silent", "demo"], { encoding: "utf8" });
const start = printed.indexOf("$ longhaul");
const end = printed.indexOf("\nSee what is there");
const output = printed.slice(start, end).trimEnd();
const readme = readFileSync("README.md", "utf8");
const block = /```text\n\$ longhaul [^]*?\n```/;
if (start < 0 || end < 0 || !block.test(readme))
  throw new Error("the demo or the README changed shape");
writeFileSync(
  "README.md",
  readme.replace(block, () => `\`\`\`text\n${output}\n\`\`\``),
);
