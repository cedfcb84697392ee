import { readFileSync } from "node:fs";
import { transformSync } from "esbuild";

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
