import { countLines } from "../../src/core/text/utf8.ts";
import { describe, expect, it, vi } from "vitest";
import type { Archive } from "../../src/archive/archive.ts";
import { memoryArchive } from "../../src/archive/index.ts";
import { ContextError } from "../../src/core/error.ts";
import { isTruncated, type ToolLimitOverrides } from "../../src/core/truncate/index.ts";
import { type TruncatedEvent, wrapTool, wrapTools } from "../../src/tools/index.ts";

const long = Array.from({ length: 4_000 }, (_, index) => `line ${index + 1}\n`).join("");

/** What a handle in a text stands for. */
async function recalled(archive: Archive, text: string): Promise<string> {
  return archive.get(/recall="(\w+)"/.exec(text)?.[1] ?? "");
}

/** Waits for a value, or for all states of it. */
async function all(output: unknown): Promise<unknown> {
  const value = await output;
  if (typeof value !== "object" || value === null || !(Symbol.asyncIterator in value)) return value;
  const states: unknown[] = [];
  for await (const state of value as AsyncIterable<unknown>) states.push(state);
  return states;
}

describe("wrapTool", () => {
  it.each<ToolLimitOverrides>([
    { bash: { maxLines: 0 } },
    { "*": { direction: "middle" as "both" } },
  ])("refuses %j before any tool runs", (toolLimits) => {
    const wrap = (): unknown => wrapTool({ execute: () => "a" }, { toolLimits });
    expect(wrap).toThrow(expect.objectContaining({ code: "invalid-options" }));
  });

  it("truncates what a tool returns and archives the whole", async () => {
    const archive = memoryArchive();
    const tool = wrapTool(
      { execute: async (_: { path: string }) => long },
      { archive, toolName: "read" },
    );
    const output = await tool.execute({ path: "a" });
    expect(output).toMatch(/^line 1\n/);
    expect(output.indexOf("<tool-output-truncated")).toBe(long.indexOf("line 2001\n"));
    expect(await recalled(archive, output)).toBe(long);
  });

  describe("a tool that is made later", () => {
    const made = (): { execute: () => Promise<string> } => ({ execute: async () => long });
    const cut = expect.stringContaining("<tool-output-truncated") as unknown;

    it.each<[string, () => { execute(): unknown } | Promise<{ execute(): unknown }>]>([
      ["by a function", () => wrapTools({ read: made }).read()],
      ["later by a function", async () => wrapTools({ read: async () => made() }).read()],
      ["by init", async () => wrapTool({ id: "read", init: async () => made() }).init()],
      ["in a list", async () => wrapTools([made])[0]!()],
    ])("%s is wrapped then", async (_, make) => {
      expect(await (await make()).execute()).toEqual(cut);
    });

    it("has the limits of its name, and is wrapped once", async () => {
      const events: TruncatedEvent[] = [];
      const options = {
        toolLimits: { read: { maxLines: 2 } },
        onTruncated: (event: TruncatedEvent) => void events.push(event),
      };
      const tool = wrapTool({ id: "read", kept: { a: 1 }, init: made }, options);
      const again = wrapTool(tool, options);
      expect(again).toBe(tool);
      expect(tool.kept).toEqual({ a: 1 });
      await again.init().execute();
      expect(events.map(({ toolName, truncation }) => [toolName, truncation.kept.lines])).toEqual([
        ["read", 2],
      ]);
      const [factory] = wrapTools(wrapTools([made], options), options);
      await factory().execute();
      expect(events).toHaveLength(2);
    });

    it("that is none stays what it is", () => {
      const answer = { sum: 3 };
      class Box {
        value = 1;
      }
      const { add, Made } = wrapTools({ add: () => answer, Made: Box });
      expect(add()).toBe(answer);
      expect(new Made()).toBeInstanceOf(Box);
    });
  });

  it("waits for whatever can be awaited", async () => {
    // oxlint-disable-next-line unicorn/no-thenable
    const query = { then: (resolve: (value: string) => void) => resolve(long) };
    const tool = wrapTool({ execute: (): PromiseLike<string> => query as PromiseLike<string> });
    expect(await tool.execute()).toContain("<tool-output-truncated");
  });

  it.each([
    () => {
      throw new Error("no");
    },
    (): unknown => Promise.reject(new Error("no, later")),
  ])("is not stopped by whoever is told about it (%#)", async (onTruncated) => {
    const tool = wrapTool({ execute: async () => long }, { onTruncated });
    expect(await tool.execute()).toContain("<tool-output-truncated");
  });

  it("reads the direction off the command that ran", async () => {
    const bash = wrapTool({ name: "bash", execute: async (_: { command: string }) => long });
    expect(await bash.execute({ command: "tsc" })).toMatch(/^line 1\n[^]*line 2000\n<tool/);
    expect(await bash.execute({ command: "npm test" })).toMatch(/^line 1\n[^]*line 4000\n<tool/);
  });

  it("returns what fits as it came, at once if it came at once", () => {
    const value = { ok: true, list: [1, 2] };
    expect(wrapTool({ execute: () => value }).execute()).toBe(value);
    expect(wrapTool({ execute: () => "short" }).execute()).toBe("short");
    for (const odd of [undefined, null, 3, 4n, new Date(), new Uint8Array(90_000), new Map()]) {
      expect(wrapTool({ execute: () => odd }).execute()).toBe(odd);
    }
  });

  it("keeps everything else of the tool, and the tool itself as it was", async () => {
    const brand = Symbol("brand");
    class Base {
      #secret = "private";
      readonly description = "reads";
      get label(): string {
        return "label";
      }
      async execute(): Promise<string> {
        return `${this.#secret} ${long}`;
      }
    }
    const tool = Object.assign(new Base(), { [brand]: 1, schema: { type: "object" } });
    const before = Reflect.ownKeys(tool);
    const wrapped = wrapTool(Object.freeze(tool));
    expect(wrapped).toBeInstanceOf(Base);
    expect(wrapped).toMatchObject({ description: "reads", label: "label", [brand]: 1 });
    expect(wrapped.schema).toBe(tool.schema);
    expect(await wrapped.execute()).toMatch(/<\/tool-output-truncated>$/);
    expect(Reflect.ownKeys(tool)).toEqual(before);
    expect(await tool.execute()).toBe(`private ${long}`);
    expect(wrapped.execute).toHaveLength(0);
    expect(wrapped.execute.name).toBe("execute");
  });

  it("leaves a tool without execute alone, and one that is wrapped already", async () => {
    const client = { description: "runs elsewhere", inputSchema: {} };
    expect(wrapTool(client)).toBe(client);
    const odd = { execute: "no function" };
    expect(wrapTool(odd)).toBe(odd);
    const once = wrapTool({ execute: async () => long });
    expect(wrapTool(once)).toBe(once);
    const spread = { ...once, description: "spread" };
    expect(wrapTool(spread)).toBe(spread);
    const wrappedByOthers = wrapTool({ execute: async () => once.execute() });
    expect(await wrappedByOthers.execute()).toBe(await once.execute());
  });

  it("passes arguments on and errors through", async () => {
    const execute = vi.fn<(a: number, b: { signal: string }) => Promise<string>>(
      async (a, b) => `${a}${b.signal}`,
    );
    expect(await wrapTool({ execute }).execute(1, { signal: "s" })).toBe("1s");
    expect(execute).toHaveBeenCalledWith(1, { signal: "s" });
    const failing = wrapTool({ execute: () => Promise.reject(new Error("mine")) });
    await expect(failing.execute()).rejects.toThrow("mine");
  });

  it("truncates the message of an error, and nothing else of it", async () => {
    const archive = memoryArchive();
    const error = Object.assign(new RangeError(long), { code: 7 });
    const failing = [
      (): Promise<string> => Promise.reject(error),
      (): Promise<string> => {
        throw error;
      },
      async function* fails() {
        yield await Promise.resolve("working");
        throw error;
      },
    ].map((execute) => wrapTool({ execute: execute as () => Promise<string> }, { archive }));
    for (const tool of failing) {
      const thrown: unknown = await all(tool.execute()).catch((reason: unknown) => reason);
      expect(thrown).toBeInstanceOf(RangeError);
      const { message, code } = thrown as typeof error;
      expect(code).toBe(7);
      expect(isTruncated(message)).toBe(true);
      expect(await recalled(archive, message)).toBe(long);
    }
    const word = wrapTool({ execute: () => Promise.reject(long) }, { archive });
    expect(await word.execute().catch((reason: unknown) => reason)).toMatch(/<tool-output-trunc/);
    const abort = new DOMException(long, "AbortError");
    const aborted = wrapTool({ execute: () => Promise.reject(abort) }, { archive });
    expect(await aborted.execute().catch((reason: unknown) => reason)).toMatchObject({
      name: "AbortError",
      message: expect.stringContaining("<tool-output-truncated"),
    });
    const mine = new Error("short");
    const tool = wrapTool({ execute: () => Promise.reject(mine) });
    expect(await tool.execute().catch((reason: unknown) => reason)).toBe(mine);
  });

  it("goes on without an archive that fails, and says so", async () => {
    const archive: Archive = {
      ...memoryArchive(),
      put: () => Promise.reject(new ContextError("archive-failed", "The disk is full.")),
    };
    const events: TruncatedEvent[] = [];
    const onTruncated = (event: TruncatedEvent): void => void events.push(event);
    const tool = wrapTool({ execute: async () => long }, { archive, onTruncated, toolName: "x" });
    expect(await tool.execute()).toContain("The rest was not kept (The disk is full.)");
    expect(events).toMatchObject([{ toolName: "x", failure: { code: "archive-failed" } }]);
  });

  it("archives a text with half a surrogate pair as JSON", async () => {
    const archive = memoryArchive();
    const output = `${long}\ud83d`;
    const text = await wrapTool({ execute: async () => output }, { archive }).execute();
    expect(JSON.parse(await recalled(archive, text))).toEqual([{ type: "text", text: output }]);
  });
});

describe("a tool that reports its progress", () => {
  it("has every state truncated, and only the last one archived", async () => {
    const archive = memoryArchive();
    async function* execute(): AsyncGenerator<string> {
      yield "starting";
      yield long;
      yield `${long}done\n`;
    }
    const states: string[] = [];
    for await (const state of wrapTool({ execute }, { archive }).execute()) states.push(state);
    expect(states).toHaveLength(4);
    expect(states[0]).toBe("starting");
    expect(states.slice(1).every((state) => isTruncated(state) && countLines(state) < 2_020)).toBe(
      true,
    );
    expect(await archive.list()).toHaveLength(1);
    expect(await recalled(archive, states.at(-1) ?? "")).toBe(`${long}done\n`);
  });

  it("adds no state where nothing was cut, and stops when its reader stops", async () => {
    const closed = vi.fn<() => void>();
    async function* execute(): AsyncGenerator<number> {
      try {
        yield 1;
        yield 2;
      } finally {
        closed();
      }
    }
    const { execute: run } = wrapTool({ execute });
    const all: number[] = [];
    for await (const state of run()) all.push(state);
    expect(all).toEqual([1, 2]);
    for await (const state of run()) {
      if (state === 1) break;
    }
    expect(closed).toHaveBeenCalledTimes(2);
  });

  it("leaves streams of bytes alone", () => {
    const stream = new ReadableStream();
    expect(wrapTool({ execute: () => stream }).execute()).toBe(stream);
  });
});

describe("a tool with toModelOutput", () => {
  it("keeps its value for the user interface, and cuts what the model gets", async () => {
    const archive = memoryArchive();
    const tool = wrapTool(
      {
        execute: async () => ({ log: long }),
        toModelOutput: async ({ output }: { output: { log: string } }) => ({
          type: "text",
          value: output.log,
        }),
      },
      { archive },
    );
    const output = await tool.execute();
    expect(output).toEqual({ log: long });
    const first = await tool.toModelOutput({ output });
    expect(first).toMatchObject({
      type: "text",
      value: expect.stringContaining("<tool-output-truncated") as string,
    });
    expect(await tool.toModelOutput({ output })).toEqual(first);
    expect(await archive.list()).toHaveLength(1);
  });

  it("may run elsewhere, and its errors are truncated", async () => {
    const toModelOutput = async ({ output }: { output: string }) => ({
      type: "text",
      value: output,
    });
    const elsewhere = wrapTool({ toModelOutput });
    expect(JSON.stringify(await elsewhere.toModelOutput({ output: long }))).toMatch(/truncated/);
    const failing = wrapTool({ execute: () => Promise.reject(new Error(long)), toModelOutput });
    await expect(failing.execute()).rejects.toThrow(/<tool-output-truncated/);
  });
});

describe("wrapTools", () => {
  it("wraps a record, naming each tool by its key", async () => {
    const tools = wrapTools(
      {
        read: { execute: async () => long },
        tail: { execute: async () => long },
        client: { schema: 1 },
      },
      { toolLimits: { tail: { maxLines: 1 } } },
    );
    expect(Object.keys(tools)).toEqual(["read", "tail", "client"]);
    expect(await tools.read.execute()).toMatch(/^line 1\n/);
    expect(await tools.tail.execute()).toMatch(/^line 4000\n</);
    expect(tools.client).toEqual({ schema: 1 });
  });

  it("wraps a list, naming each tool by its name", async () => {
    const [read] = wrapTools([{ name: "read", execute: async () => long }]);
    expect(await read?.execute()).toMatch(/^line 1\n/);
  });
});
