import { readdirSync, readFileSync } from "node:fs";
import { transformSync } from "esbuild";

/** Pages for readers; what the API's page shows beside its examples are no programs. */
export const PAGES: readonly string[] = [
  ...readdirSync(".").filter((name) => name.endsWith(".md")),
  ...readdirSync("docs")
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
];

/** A program of a page, word for word. */
export interface Program {
  readonly page: string;
  /** For a test: the page and the number of its program. */
  readonly name: string;
  readonly code: string;
  /** What its first line says that it needs; absent if it runs as it is pasted. */
  readonly needs?: string;
}

/** All programs of all pages. */
export function allPrograms(): Program[] {
  return PAGES.flatMap((page) =>
    programsOf(page).map((code, at) => {
      const needs = /^\/\/ needs: (.+)\n/.exec(code)?.[1];
      return { page, name: `${page} ${at + 1}`, code, ...(needs && { needs }) };
    }),
  );
}

/** The programs of a page, in order, word for word. */
export function programsOf(file: string): string[] {
  return [...readFileSync(file, "utf8").matchAll(/```ts\n([^]*?)```/g)].map(
    ([, code = ""]) => code,
  );
}

/** A program without its imports and types, to be run in a function that has what it imports. */
export function runnable(code: string): string {
  const body = code.replaceAll(/^import [^;]*;$/gm, "");
  return transformSync(body, { loader: "ts", target: "esnext" }).code;
}

/** What a program says that it prints: the comments behind its `console.log` lines. */
export function printedBy(code: string): readonly string[] {
  return [...code.matchAll(/^ *console\.log\(.*\); \/\/ (.*)$/gm)].map(([, said = ""]) => said);
}
