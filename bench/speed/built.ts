/** The package as its users get it, without a compiler in between: `npm run build` makes it. */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

interface Doors {
  "index.js": typeof import("../../src/index.ts");
  "hooks/ai-sdk/index.js": typeof import("../../src/hooks/ai-sdk/index.ts");
  "hooks/langchain/index.js": typeof import("../../src/hooks/langchain/index.ts");
  "hooks/mastra/index.js": typeof import("../../src/hooks/mastra/index.ts");
}

/** Loads a door of the built package. */
export async function built<Door extends keyof Doors>(door: Door): Promise<Doors[Door]> {
  const file = new URL(`../../dist/${door}`, import.meta.url);
  if (!existsSync(fileURLToPath(file))) throw new Error("Build the package first: npm run build.");
  return (await import(file.href)) as Doors[Door];
}
