import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { directoryArchive } from "../../src/archive/directory.ts";
import type { ContextReport, Failure } from "../../src/context/index.ts";
import { words } from "../build-messages.ts";
import { runs } from "../property/runs.ts";
import { upstreamForTest } from "../provider/for-test.ts";
import type { Script, Upstream } from "../provider/index.ts";
import { type Door, type DoorOptions, type DoorProgram, DOORS, type Said } from "./doors.ts";

/** What every door does, each shown by a program over its own SDK and a strict server. */

const RULE = "Do the work. Never touch legacy/.";
const WELL = "All is well.";
/** The window of the server, where it is smaller than anybody knew. */
const LIMIT = 8_000;

/** A conversation of so many rounds, some 420 tokens each. */
function rounds(count: number): Said {
  const round = (n: number): Said => [words(280, `thought ${n}`), `go on ${n}`];
  return [RULE, ...Array.from({ length: count }, (_, n) => round(n)).flat()];
}

interface Opened {
  readonly program: DoorProgram;
  readonly reports: ContextReport[];
  readonly failures: Failure[];
}

function open(door: Door, { url }: Upstream, options: DoorOptions): Opened {
  const program = door.open(url, options);
  const reports: ContextReport[] = [];
  const failures: Failure[] = [];
  program.on("prepared", (report) => void reports.push(report));
  program.on("failed", (failure) => void failures.push(failure));
  return { program, reports, failures };
}

function outcomes({ requests }: Upstream): readonly string[] {
  return requests.map(({ outcome }) => outcome);
}

const cases = DOORS.map((door, at) => [door.name, door, at] as const);

describe.each(cases)("%s", (_, door, at) => {
  // In the quick run each door once, by turns; no behaviour is shown in one way alone.
  const ways = runs(0, 1) === 1 ? [false, true] : [at % 2 === 0];
  describe.each(ways)("streamed: %s", (stream) => {
    test("a refusal for its length is answered with a shorter request, and kept in mind", async () => {
      const upstream = await upstreamForTest({ script: () => WELL, window: LIMIT });
      const { program, failures } = open(door, upstream, { window: 128_000 });
      expect(await program.ask(rounds(40), { stream, maxOutput: 500 })).toBe(WELL);
      expect(outcomes(upstream)).toEqual(["overflow", "answered"]);
      expect(JSON.stringify(upstream.requests.at(-1)?.body)).toContain(RULE);
      const more = [...rounds(40), WELL, "And now?"];
      expect(await program.ask(more, { stream, maxOutput: 500 })).toBe(WELL);
      expect(upstream.rejected).toBe(1);
      expect(failures).toEqual([]);
    });

    test("a context for each request learns by what it is given to keep", async () => {
      const folder = mkdtempSync(path.join(tmpdir(), "longhaul-doors-"));
      onTestFinished(() => rmSync(folder, { recursive: true }));
      const upstream = await upstreamForTest({ script: () => WELL, window: LIMIT });
      for (let n = 0; n < 3; n += 1) {
        const archive = directoryArchive(folder);
        const options = { window: 128_000, archive, conversation: "chat-1" };
        const { program } = open(door, upstream, options);
        expect(await program.ask(rounds(40 + n), { stream, maxOutput: 500 })).toBe(WELL);
      }
      expect(upstream.rejected).toBe(1);
    });

    test.skipIf(door.hidesEmpty?.(stream))(
      "an answer without room is asked for once more",
      async () => {
        const script: Script = (_view, { promptTokens }) =>
          promptTokens > LIMIT ? { parts: [], finish: "length" } : WELL;
        const upstream = await upstreamForTest({ script });
        const { program, failures } = open(door, upstream, { window: 128_000 });
        expect(await program.ask(rounds(40), { stream })).toBe(WELL);
        expect(outcomes(upstream)).toEqual(["answered", "answered"]);
        expect(await program.ask([...rounds(40), WELL, "And now?"], { stream })).toBe(WELL);
        expect(upstream.requests).toHaveLength(3);
        expect(failures).toEqual([]);
      },
    );

    test("an answer that spent its own limit on nothing is none of ours", async () => {
      const thought = { type: "reasoning", text: words(350) } as const;
      const script: Script = () => ({ parts: [thought], finish: "length" });
      const upstream = await upstreamForTest({ script });
      const { program, reports } = open(door, upstream, { window: 128_000 });
      await program.ask(rounds(10), { stream, maxOutput: 500 }).catch(() => "");
      expect(upstream.requests).toHaveLength(1);
      expect(reports.map(({ action }) => action)).toEqual(["none"]);
    });

    test("whoever gives up waits for no summary", async () => {
      const upstream = await upstreamForTest({ script: () => WELL });
      const caller = new AbortController();
      const summarizer = (): Promise<string> => {
        setTimeout(() => caller.abort());
        return new Promise(() => undefined);
      };
      // Where the signal is not told, a summary is waited for as long as one may take.
      const limit = door.hidesSignal?.(stream) ? { summarizerTimeoutMs: 300 } : {};
      const { program } = open(door, upstream, { window: 8_000, summarizer, ...limit });
      const asked = program.ask(rounds(40), { stream, signal: caller.signal });
      await expect(asked).rejects.toThrow(/abort/i);
      expect(upstream.requests).toEqual([]);
    });

    test("no more is kept free than the answer may have", async () => {
      const upstream = await upstreamForTest({ script: () => WELL });
      const { program, reports } = open(door, upstream, { window: 30_000 });
      // The AI SDK tells prepareStep nothing of that, and its middleware all.
      await program.ask([RULE], { stream, maxOutput: 2_000 });
      await program.ask([RULE, WELL, ...rounds(60)], { stream, maxOutput: 2_000 });
      expect(reports.at(-1)).toMatchObject({ action: "none", reserved: 2_000 });
      expect(reports.at(-1)!.tokens.before).toBeGreaterThan(15_000);
    });
  });
});
