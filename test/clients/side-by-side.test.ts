import { existsSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { PLUGIN_AGENTS } from "../../src/plugins/agents.ts";
import { CLIENTS, clients } from "./clients.ts";
import { runOnce, SMALL_WINDOWS } from "./side-by-side.ts";

const main = path.resolve("test/.built/main.js");
const agents = PLUGIN_AGENTS.filter((agent) => SMALL_WINDOWS[agent] !== undefined);

describe.each(agents)("forty steps of %s in a small window", (agent) => {
  const isInstalled = existsSync(path.join(CLIENTS, clients[agent].folder));

  it.skipIf(!isInstalled)("lose facts without the plugin, and none with it", async () => {
    const without = await runOnce(agent, { name: "without" }, { main });
    // Where every request is kept inside the window, the agent alone need not get to the end.
    const isInside = agent === "opencode" || agent === "pi";
    if (!isInside) expect(without).toMatchObject({ exitCode: 0, isDone: true });
    expect(without.facts.lost).toBeGreaterThan(0);
    const plugged = await runOnce(agent, { name: "with", plugin: [] }, { main });
    expect(plugged).toMatchObject({ exitCode: 0, isDone: true, refused: 0, hasRule: true });
    if (!isInside) expect(plugged.compactions).toBeGreaterThan(0);
    expect(plugged.facts.lost).toBe(0);
  });
});
