/**
 * What a gateway adds to the time until the first byte: `npx tsx bench/gateway/overhead.ts [RUNS]`. The
 * provider answers at once; client, provider and each gateway have a process of their own. Each
 * request is the one before with one step more, as an agent sends it. Beside the gateway stand a bare
 * pass-through of Node's own parts, and Portkey's gateway where `bench/` has it.
 */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { quantile } from "../speed/measure.ts";
import { markdownTable, publish } from "../speed/table.ts";
import { agent, firstByte, type Part, requestText, type Script, startPart } from "./parts.ts";

const runs = Number(process.argv[2] ?? 100);
/** The first ones load code, make the edit, and let it be compiled. */
const WARM = 100;

interface Row extends Script {
  readonly name: string;
  /** After so many steps another conversation begins. */
  readonly steps?: number;
  readonly window: number;
}

const rows: readonly Row[] = [
  { name: "10 KB", messages: 11, bytes: 10_000, seed: "a", steps: 5, window: 1_000_000 },
  { name: "500 KB", messages: 201, bytes: 500_000, seed: "b", steps: 20, window: 1_000_000 },
  { name: "2 MB", messages: 801, bytes: 2_000_000, seed: "c", steps: 20, window: 4_000_000 },
  {
    name: "4,000 messages of 2 MB, edited",
    messages: 4_001,
    bytes: 2_000_000,
    seed: "d",
    window: 200_000,
  },
];

/** Whom the same requests go to, and with which headers. */
interface Way {
  readonly name: string;
  readonly part: Part;
  readonly headers?: Readonly<Record<string, string>>;
}

const portkey = existsSync(new URL("../node_modules/@portkey-ai/gateway", import.meta.url));

async function measure(row: Row): Promise<readonly string[][]> {
  const archive = mkdtempSync(path.join(tmpdir(), "longhaul-gateway-bench-"));
  const upstream = await startPart("provider");
  const to = upstream.url;
  const ways: Way[] = [
    { name: "bare pass-through", part: await startPart("bare", { to }) },
    { name: "longhaul", part: await startPart("gateway", { to, archive, window: row.window }) },
  ];
  if (portkey) {
    const headers = {
      "x-portkey-provider": "anthropic",
      "x-portkey-custom-host": `${to}/v1`,
      "x-api-key": "key",
    };
    ways.push({ name: "Portkey", part: await startPart("portkey"), headers });
  }
  const direct: number[] = [];
  const times = ways.map((): number[] => []);
  let spent = ways.map(() => 0);
  for (let run = 0; run < runs + WARM; run++) {
    if (run === WARM)
      spent = await Promise.all(ways.map(async ({ part }) => (await part.state()).cpuMs));
    const { steps = Infinity, seed } = row;
    const turn = Math.floor(run / steps);
    const text = requestText({ ...row, seed: `${seed}${turn}-` }, run % steps);
    const own = await firstByte(to, text);
    if (run >= WARM) direct.push(own);
    for (const [at, { part, headers }] of ways.entries()) {
      const took = await firstByte(part.url, text, headers);
      if (run >= WARM) times[at]?.push(took);
    }
  }
  const cpu = await Promise.all(ways.map(async ({ part }) => (await part.state()).cpuMs));
  await Promise.all([upstream, ...ways.map(({ part }) => part)].map((part) => part.end()));
  rmSync(archive, { recursive: true, force: true });
  return ways.map(({ name }, at) => {
    const added = (share: number): string =>
      (quantile(times[at] ?? [], share) - quantile(direct, share)).toFixed(1);
    const each = ((cpu[at] ?? 0) - (spent[at] ?? 0)) / runs;
    return [row.name, name, added(0.5), added(0.99), each.toFixed(1)];
  });
}

const lines: string[][] = [];
const only = process.argv[3];
for (const row of rows)
  if (only === undefined || row.seed === only) lines.push(...(await measure(row)));
const head = ["request", "through", "added ms, p50", "p99", "CPU ms a request, its process"];
publish("gateway", markdownTable(head, lines));
agent.destroy();
