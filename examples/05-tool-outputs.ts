// Tool outputs are cut on arrival; the whole of each is in the archive, and the agent can look there.
import { createContext, recallTools, wrapTools } from "longhaul";

const myTools = {
  bash: {
    description: "Runs a command.",
    execute: async (_input: { command: string }) =>
      Array.from(
        { length: 9_000 },
        (_, n) => `line ${n}${n === 4_321 ? ": error: disk on fire" : ""}`,
      ).join("\n"),
  },
};

const context = createContext({ window: 200_000 });
const tools = { ...wrapTools(myTools, context.truncation), ...recallTools(context.archive) };

const output = await tools.bash.execute({ command: "make" });
console.log(`the model sees ${output.split("\n").length} lines, and this notice:`);
console.log(output.slice(output.lastIndexOf("<tool-output-truncated")));

const found = await tools.search_archive.execute({ pattern: "disk on fire" });
console.log(found);
