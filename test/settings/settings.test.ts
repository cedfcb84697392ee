import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { readSettings, readTemplate, SETTINGS } from "../../src/settings/settings.ts";
import { runHere, temporaryFolder } from "../cli/run-cli.ts";

/** A state folder and, in a project, the folder to work in, each with the settings given. */
function placed(personal?: unknown, project?: unknown): { home: string; cwd: string } {
  const root = temporaryFolder();
  const [home, cwd] = [path.join(root, "state"), path.join(root, "project", "deep", "down")];
  mkdirSync(home);
  mkdirSync(cwd, { recursive: true });
  const write = (folder: string, value: unknown): void =>
    writeFileSync(
      path.join(folder, "longhaul.json"),
      typeof value === "string" ? value : JSON.stringify(value),
    );
  if (personal !== undefined) write(home, personal);
  if (project !== undefined) write(path.join(root, "project"), project);
  return { home, cwd };
}

const settingsOf = ({ home, cwd }: ReturnType<typeof placed>): ReturnType<typeof readSettings> =>
  readSettings({ env: { LONGHAUL_HOME: home }, cwd });

describe("settings", () => {
  it("are none without files", async () => {
    expect(await settingsOf(placed())).toEqual({});
  });

  it("are those of the person, and above them those of the project", async () => {
    const personal = { window: 100_000, tailTokens: 9_000, reserved: 5_000 };
    const place = placed(personal, { tail: "10%", protectedTools: ["rules"] });
    expect(await settingsOf(place)).toEqual({
      window: 100_000,
      reserved: 5_000,
      tailShare: 0.1,
      protectedTools: ["rules"],
    });
  });

  it.each([
    [{ tial: "10%" }, /no option tial\. Did you mean tail\?/],
    [{ protectTools: [] }, /no option protectTools\. Did you mean protectedTools\?/],
    [{ archive: "here" }, /no option archive/],
    [{ tail: "much" }, /tail is "much"; it must be tokens or a share/],
    [{ tailShare: 25 }, /tailShare is 25; it must be a share/],
    [{ continuation: "maybe" }, /continuation is "maybe"/],
    [{ protectedTools: [3] }, /protectedTools/],
    [{ compactionTemplate: "nowhere.md" }, /nowhere\.md cannot be read \(ENOENT\)/],
    [{ summarizer: 3 }, /summarizer must be a name|does not choose/],
    ["{ nonsense", /longhaul\.json cannot be used/],
    ["[]", /holds no object/],
  ])("that make no sense are refused with the file: %j", async (value, message) => {
    for (const place of [placed(value), placed(undefined, value)]) {
      await expect(settingsOf(place)).rejects.toMatchObject({
        code: "invalid-options",
        message: expect.stringMatching(message),
        details: { file: expect.stringContaining("longhaul.json") },
      });
    }
  });

  it("of a project do not say who gets a session", async () => {
    const summarizer = "openai-compatible:http://elsewhere#model";
    expect(await settingsOf(placed({ summarizer }))).toEqual({ summarizer });
    await expect(settingsOf(placed(undefined, { summarizer }))).rejects.toThrow(
      /A project does not choose who gets a session/,
    );
  });

  it("have a schema with every name, in the package", () => {
    const schema = JSON.parse(readFileSync("settings.schema.json", "utf8")) as {
      properties: object;
    };
    expect(Object.keys(schema.properties).toSorted()).toEqual(SETTINGS.toSorted());
    const { files, exports } = JSON.parse(readFileSync("package.json", "utf8")) as {
      files: readonly string[];
      exports: object;
    };
    expect(files).toContain("settings.schema.json");
    expect(exports).toHaveProperty(["./settings.schema.json"]);
  });
});

describe("a template in a file", () => {
  const inFile = (text: string): string => {
    const file = path.join(temporaryFolder(), "template");
    writeFileSync(file, text);
    return file;
  };

  it("is an override as JSON, or Markdown whose headings are sections", async () => {
    const override = { sections: [{ id: "risks", heading: "Risks", purpose: "What may fail." }] };
    expect(await readTemplate(inFile(JSON.stringify(override)))).toEqual(override);
    const markdown =
      "Our template\n\n## Goal\nOne line.\n\n## Open Risks ##\r\nWhat may fail.\nAnd why.\n# Rủi ro\nTại sao.\n";
    expect(await readTemplate(inFile(markdown))).toEqual({
      sections: [
        { id: "goal", heading: "Goal", purpose: "One line." },
        { id: "openrisks", heading: "Open Risks", purpose: "What may fail.\nAnd why." },
        { id: "riro", heading: "Rủi ro", purpose: "Tại sao." },
      ],
    });
    await expect(readTemplate(inFile("no heading"))).rejects.toThrow("has no heading");
    await expect(readTemplate(inFile("{ torn"))).rejects.toThrow("no valid JSON");
  });
});

describe("compact with settings and flags", () => {
  const chat = (tool: string): string => {
    const steps = Array.from({ length: 30 }, (_, n) => [
      {
        role: "assistant",
        tool_calls: [{ id: `c${n}`, type: "function", function: { name: tool, arguments: "{}" } }],
      },
      {
        role: "tool",
        tool_call_id: `c${n}`,
        content: `result ${n}: ${"all is well. ".repeat(90)}`,
      },
    ]);
    return JSON.stringify([{ role: "user", content: "Go on." }, ...steps.flat()]);
  };
  interface Report {
    readonly tokens: { readonly after: number; readonly target: number };
    readonly usable: number;
    readonly tail: { readonly tokens: number };
    readonly summary: { readonly sections: object };
  }
  const compact = async (cwd: string, ...flags: readonly string[]): Promise<Report> => {
    writeFileSync(path.join(cwd, "chat.json"), chat("fetch"));
    const args = ["compact", "chat.json", "--window", "16k", "--force", "--json", ...flags];
    const { code, stdout, stderr } = await runHere(args, { cwd });
    expect(stderr).toBe("");
    expect(code).toBe(0);
    return JSON.parse(stdout) as Report;
  };

  it("takes tail, target, protection and template, the flags above the file", async () => {
    const { cwd } = placed(undefined, { tail: "3k", target: "45%" });
    const set = await compact(cwd);
    expect(set.tokens.target).toBe(Math.floor(set.usable * 0.45));
    expect(set.tail.tokens).toBeGreaterThanOrEqual(3_000);
    writeFileSync(path.join(cwd, "t.md"), "# Risks\nWhat may fail.\n");
    const typed = await compact(cwd, "--target", "40%", "--tail", "10%", "--template", "t.md");
    expect(typed.tokens.target).toBe(Math.floor(typed.usable * 0.4));
    expect(typed.tail.tokens).toBeLessThan(set.tail.tokens);
    expect(typed.summary.sections).toHaveProperty("risks");
  });

  it("takes protected tools one by one, and the file after them", async () => {
    const { cwd } = placed();
    await compact(cwd);
    const flags = ["--protect", "fetch", "--protect", "web_*", "chat.json", "--window", "16k"];
    const { code, stdout } = await runHere(["compact", ...flags, "--json"], { cwd });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ action: "compact", prune: [] });
  });

  it.each([
    [["--tail", "much"], /tail/],
    [["--target", "0%"], /target/],
    [["--continuation", "maybe"], /auto, ask, never/],
    [["--template", "nowhere.md"], /nowhere\.md/],
  ])("refuses %j in a sentence", async (flags, message) => {
    const { code, stderr } = await runHere(["compact", "chat.json", ...flags]);
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
  });
});
