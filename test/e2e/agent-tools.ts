import { execFile } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";

/** A tool that really does something; each SDK's test makes its own kind of tool from it. */
export interface AgentTool {
  readonly name: string;
  readonly description: string;
  /** The JSON Schema of the input. */
  readonly parameters: {
    readonly type: "object";
    readonly properties: Readonly<Record<string, { readonly type: "string" }>>;
    readonly required: string[];
    readonly additionalProperties: false;
  };
  run(input: unknown): Promise<string>;
}

/** What the file {@link SECRET_FILE} says, and nothing else ever does. */
export const FACT = "kingfisher-4711-amber";
export const SECRET_FILE = "config/release.env";
/** How many files `src/module-N.ts` there are, the longest with some 6,000 tokens. */
export const MODULES = 24;

/** read, grep, write and bash on a folder of their own, which is removed with the test. */
export async function agentTools(): Promise<readonly AgentTool[]> {
  const folder = mkdtempSync(path.join(tmpdir(), "longhaul-agent-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await fillFolder(folder);
  const inside = (name: string): string => path.join(folder, path.normalize(`/${name}`));
  return [
    tool("read", "Reads a file.", ["path"], ({ path: name = "" }) =>
      readFile(inside(name), "utf8"),
    ),
    tool("grep", "Finds lines of all source files.", ["pattern"], ({ pattern = "" }) =>
      grep(inside("src"), pattern),
    ),
    tool(
      "write",
      "Writes a file.",
      ["path", "content"],
      async ({ path: name = "", content = "" }) => {
        await mkdir(path.dirname(inside(name)), { recursive: true });
        await writeFile(inside(name), content);
        return `Wrote ${content.length} characters to ${name}.`;
      },
    ),
    tool("bash", "Runs a command.", ["command"], ({ command = "" }) => bash(folder, command)),
  ];
}

function tool(
  name: string,
  description: string,
  required: string[],
  run: (input: Readonly<Record<string, string | undefined>>) => Promise<string>,
): AgentTool {
  const properties = Object.fromEntries(required.map((key) => [key, { type: "string" as const }]));
  const parameters = { type: "object", properties, required, additionalProperties: false } as const;
  const answer = async (input: unknown): Promise<string> => {
    try {
      return await run(input as Readonly<Record<string, string | undefined>>);
    } catch (error) {
      return `Error: ${error instanceof Error ? error.message : String(error)}`;
    }
  };
  return { name, description, parameters, run: answer };
}

async function grep(folder: string, pattern: string): Promise<string> {
  const hits: string[] = [];
  for (const name of (await readdir(folder)).toSorted()) {
    const lines = (await readFile(path.join(folder, name), "utf8")).split("\n");
    lines.forEach((line, index) => {
      if (line.includes(pattern)) hits.push(`src/${name}:${index + 1}:${line}`);
    });
  }
  return hits.join("\n") || "No match.";
}

function bash(folder: string, command: string): Promise<string> {
  return new Promise((resolve) => {
    const options = { cwd: folder, maxBuffer: 10_000_000 };
    execFile("/bin/sh", ["-c", command], options, (error, stdout, stderr) => {
      const failed = error === null ? "" : `\nExit code: ${String(error.code)}`;
      resolve(`${stdout}${stderr}${failed}`);
    });
  });
}

async function fillFolder(folder: string): Promise<void> {
  for (const name of ["src", "config", "logs", "legacy"]) await mkdir(path.join(folder, name));
  const files: Record<string, string> = {
    "README.md": "# Orders\n\nReads orders, books payments, writes reports.\n",
    [SECRET_FILE]: `RELEASE_CODE=${FACT}\n${settings(30)}\n`,
    "legacy/orders.js": "// Nobody knows any more what this does.\n",
    "logs/build.log": logLines(900).join("\n"),
    "logs/test.log": testRun(260),
  };
  for (let n = 0; n < MODULES; n++) files[`src/module-${n}.ts`] = moduleText(n);
  for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder, name), text);
}

function settings(count: number): string {
  return Array.from({ length: count }, (_, n) => `SETTING_${n}=value-${(n * 7919) % 1000}`).join(
    "\n",
  );
}

/** From 200 to 6,000 tokens, most of them short. */
function moduleText(n: number): string {
  const functions = n % 8 === 7 ? 66 : 2 + (n % 5) * 4;
  return Array.from({ length: functions }, (_, f) =>
    [
      `/** Books part ${f} of module ${n}; amounts are in cents. */`,
      `export function book${n}x${f}(order: Order, amount: number): Booking {`,
      `  if (amount < ${f * 10}) throw new RangeError(\`order \${order.id} is too small\`);`,
      `  const rate = RATES[${(n * 31 + f) % 17}] ?? DEFAULT_RATE;`,
      `  return { order: order.id, cents: Math.round(amount * rate), step: ${f} };`,
      "}",
    ].join("\n"),
  ).join("\n\n");
}

/** More than 50,000 bytes at 600 lines. */
function logLines(count: number): string[] {
  return Array.from({ length: count }, (_, n) => {
    const id = ((n * 2_654_435_761) >>> 0).toString(16).padStart(8, "0");
    const second = String(n % 60).padStart(2, "0");
    return `2026-03-04T10:${String(Math.floor(n / 60) % 60).padStart(2, "0")}:${second}.120Z info build[${id}] compiled src/module-${n % MODULES}.ts in ${n % 97} ms, cache ${id.slice(0, 4)}`;
  });
}

function testRun(count: number): string {
  const tests = Array.from(
    { length: count },
    (_, n) => `ok ${n + 1} - books part ${n} (${n % 13} ms)`,
  );
  tests[41] = "not ok 42 - books part 41\n  expected 4100 but got 41 at src/module-7.ts:12";
  return tests.join("\n");
}
