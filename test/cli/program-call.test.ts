import { describe, expect, it } from "vitest";
import { programCall } from "../../src/cli/program-call.ts";

describe("a program that npm installed", () => {
  it("is started as it is, word by word", () => {
    const args = ["run", "-s", 'ses "1"', "$HOME"];
    expect(programCall("opencode", args, "linux")).toEqual({
      file: "opencode",
      args,
      options: {},
    });
  });

  it("is found by a shell on Windows, where it is opencode.cmd", () => {
    const args = ["run", "-s", "ses_1", "fix C:\\a b\\", 'say "yes" & go', ""];
    expect(programCall("opencode", args, "win32")).toEqual({
      file: 'opencode run -s ses_1 "fix C:\\a b\\\\" "say ""yes"" & go" ""',
      args: [],
      options: { shell: true },
    });
  });
});
