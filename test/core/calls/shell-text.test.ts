import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stepsThatWentWell } from "../../../src/core/calls/index.ts";

describe("stepsThatWentWell", () => {
  it.each([
    ["npm test", []],
    ["git status && npm test", ["git status", "npm test"]],
    ["git status; npm run lint && npm test;", ["npm run lint", "npm test"]],
    ["npm run lint &&\n  npm test\n", ["npm run lint", "npm test"]],
    ["npm test |\n tail -5 && echo ok", ["npm test |\n tail -5", "echo ok"]],
    ["npm test 2>&1 | tail -5 && echo ok", ["npm test 2>&1 | tail -5", "echo ok"]],
    ["cd app && npm ci && npm test", ["cd app && npm ci", "cd app && npm test"]],
    ["cd app; npm test", []],
    ["npm ci || npm test", []],
    ["npm start & npm test", []],
    ["(cd app && npm ci) && npm test", []],
    ["cat > a <<EOF && npm test\nx && y\nEOF", []],
    ["echo 'a && b' && npm test", ["echo 'a && b'", "npm test"]],
    ["echo $(cd app && npm test) && ls", ["echo $(cd app && npm test)", "ls"]],
    ["for n in 1 2; do npm test && ls; done", ["done"]],
    ["if npm test; then npm ci && ls; fi", ["fi"]],
    ["npm test &&", []],
    [" && ; \n", []],
    ["", []],
  ])("%j", (line, steps) => {
    expect(stepsThatWentWell(line)).toEqual(steps);
  });

  it("takes any text, and says nothing that does not stand there", () => {
    const word = fc.constantFrom(
      "ls",
      "cd a",
      "'",
      "$(",
      ")",
      "&&",
      ";",
      "|",
      "||",
      "\n",
      "<<E",
      "#",
      " ",
    );
    fc.assert(
      fc.property(fc.array(word), (words) => {
        const line = words.join(" ");
        for (const step of stepsThatWentWell(line)) {
          for (const part of step.split(" && ")) expect(line).toContain(part);
        }
      }),
    );
  });
});
