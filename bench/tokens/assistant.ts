/** What models write to people: plans, explanations, summaries, instructions, in Markdown. */
import type { Material } from "./material.ts";

const ACTORS =
  "I|You|We|The user|The agent|This step|The next change|Each module|The workflow|This approach|The current implementation|The test suite|Your project|The assistant".split(
    "|",
  );
const VERBS = "should|can|will|needs to|must|does not|might|already|now|still has to|would".split(
  "|",
);
const ACTIONS =
  "create|update|check|understand|follow|read|improve|handle|describe|support|replace|verify|explain|use|run|test|remove|add|keep|review|define|extend|design|gather|write|find|fix|track|show|change|load|return|validate|avoid|make sure of|look at|go through|think about|deal with".split(
    "|",
  );
const OBJECTS =
  "the existing files|all the required steps|a clear description of the problem|the right context|the main goal|your request|the final result|both the interface and the behavior|one example for each case|the error message|the whole structure|the new component|every important decision|the following sections|a simple and reliable solution|the most common use cases|the output of the command|the tests that failed|any missing information|the data model|the build configuration|the user interface|the state of the application|a short summary of the changes|what the user really wants|the code that we already have|the release process|the documentation|the default settings|the database schema|a list of open questions|the prompt and its instructions|authentication and error handling|the search results|the same pattern".split(
    "|",
  );
const LINKS =
  "before you continue|so that nothing gets lost|in order to keep it simple|when the user asks for it|without changing the public interface|because it is easier to maintain|if there are no other options|and then run the tests again|instead of starting from scratch|as described above|with very little effort|for a better experience|at the end of the process|while the server is running|until everything works as expected|even if it takes more time|based on the current state|in the same way as before|step by step|to avoid problems later|which makes it much more useful".split(
    "|",
  );
const OPENINGS =
  "Now I'll|Let me|Let's|First,|Next,|Great!|Perfect!|I need to|It looks like|Here is what|Yes,|No,|However,|In other words,|For example,|That means|Good question:|Based on this,|To be clear,|The problem is that|Do not|If needed,|Remember to|Make sure to|You are right:|I think|It's important to".split(
    "|",
  );
const TITLES =
  "Summary|Next Steps|What Changed|Overview|Implementation Plan|Key Features|Testing|How It Works|The Real Problem|Project Structure|Requirements|Open Questions|Recommendation|Usage|Core Principles|Output Format|Important Notes|Success Criteria|Step 1: Prepare|The right mental model".split(
    "|",
  );

function clause(m: Material): string {
  return `${m.pick(ACTORS)} ${m.pick(VERBS)} ${m.pick(ACTIONS)} ${m.pick(OBJECTS)}`;
}

function sentence(m: Material): string {
  const link = m.random() < 0.5 ? ` ${m.pick(LINKS)}` : "";
  return m.pick([
    () => `${clause(m)}${link}.`,
    () => `${m.pick(OPENINGS)} ${m.pick(ACTIONS)} ${m.pick(OBJECTS)}${link}.`,
    () =>
      `${m.pick(OPENINGS)} ${m.pick(ACTIONS)} \`${m.name()}\` and ${m.pick(ACTIONS)} ${m.pick(OBJECTS)}.`,
    () => `${clause(m)}, ${m.pick(["but", "and", "so", "because"])} ${clause(m).toLowerCase()}.`,
    () =>
      `${m.pick(["Should", "Can", "Does", "How should", "Why would"])} ${m.pick(ACTORS).toLowerCase()} ${m.pick(ACTIONS)} ${m.pick(OBJECTS)}?`,
  ])();
}

export function assistant(m: Material): string {
  return m.lines(50, () =>
    m.pick([
      () => `\n${"#".repeat(1 + m.number(3))} ${m.pick(TITLES)}\n`,
      () => `- ${sentence(m)}`,
      () => `- **${m.pick(TITLES)}**: ${m.pick(ACTIONS)} ${m.pick(OBJECTS)}`,
      () => `${1 + m.number(9)}. ${m.pick(ACTIONS)} ${m.pick(OBJECTS)} ${m.pick(LINKS)}`,
      () => `   - ${m.pick(OBJECTS)}`,
      () => `${sentence(m)} ${sentence(m)} ${sentence(m)}\n`,
      () => `${sentence(m)}\n\n---\n`,
      () => `> **${m.pick(OBJECTS)}**\n`,
      () => `- [${m.pick([" ", "x"])}] ${sentence(m)}`,
      () => `${sentence(m)} ${sentence(m)}`,
    ])(),
  );
}

/** Edits in search-and-replace blocks, and pages with styles in them, as models write them. */
export function edits(m: Material): string {
  return m.lines(9, () => {
    const old = m.random() < 0.4 ? page(m) : m.code().slice(0, 200 + m.number(1_500));
    const line = m.codeLine();
    const changed = old.replace(/\n/, `\n${line}\n`);
    const path = m.path();
    return m.pick([
      () =>
        `${sentence(m)}\n\n${path}\n\`\`\`\n<<<<<<< SEARCH\n${old}\n=======\n${changed}\n>>>>>>> REPLACE\n\`\`\`\n`,
      () =>
        `${sentence(m)} ${sentence(m)}\n\n\`\`\`${m.pick(["python", "html", "ts", "go"])}\n${old}\n\`\`\`\n`,
      () =>
        `*** Begin Patch\n*** Update File: ${path}\n@@ ${line}\n-${line}\n+${old}\n*** End Patch\n`,
    ])();
  });
}

const PROPERTIES =
  "padding: 8px|margin: auto|width: 100%|max-width: 800px|text-align: center|border-bottom: 1px solid #ddd|display: flex|align-items: center|font-size: 14px|color: #333|background-color: #f8f9fa|border-radius: 4px|box-shadow: 0 2px 4px rgba(0, 0, 0, 0.1)|justify-content: space-between|position: absolute|overflow-x: auto|gap: 1rem|line-height: 1.5|font-weight: bold|cursor: pointer|min-height: 100vh|border: none|transition: all 0.2s ease".split(
    "|",
  );

function page(m: Material): string {
  const tag = (): string => m.pick(["div", "td", "th", "span", "p", "section", "button", "tr"]);
  const styles = (): string =>
    Array.from({ length: 1 + m.number(4) }, () => m.pick(PROPERTIES)).join("; ");
  return m.lines(10 + m.number(14), () => {
    const name = tag();
    const indent = "  ".repeat(1 + m.number(5));
    return m.pick([
      () => `${indent}<${name} style="${styles()};">${m.phrase(2)}</${name}>`,
      () => `${indent}<${name} style="${styles()};">{{ row.${m.name()} }}%</${name}>`,
      () => `${indent}<${name} class="${m.word()}-${m.word()} ${m.word()}">`,
      () => `${indent}</${name}>`,
      () => `.${m.word()}-${m.word()} {\n  ${styles().replaceAll("; ", ";\n  ")};\n}`,
      () => `${indent}{% for ${m.word()} in ${m.name()} %}`,
    ])();
  });
}
