import { afterEach, describe, expect, it } from "vitest";
import { memoryArchive } from "../../src/archive/index.ts";
import { createContext } from "../../src/context/index.ts";
import { createLive } from "../../src/page/live.ts";
import { type PageServer, servePage } from "../../src/page/serve.ts";
import { assistant, step, user } from "../build-messages.ts";

const ASSETS = { script: "0", style: "p{}" };
const SECRET = "what the archive alone has";

describe("the server of a page", () => {
  let server: PageServer;
  afterEach(() => server.close());

  async function served() {
    const archive = memoryArchive();
    const lines = "a line of output\n".repeat(3_000);
    const { text } = await createContext({ archive }).truncate(`${lines}${SECRET}\n${lines}`);
    const other = await archive.put("out", "nothing of this conversation");
    const live = createLive(archive);
    const messages = [user("Run it."), ...step("call-0001", "bash", {}, text), assistant("Done.")];
    live.note({ id: "one", messages });
    server = await servePage(live.source, ASSETS);
    const [address = "", token = ""] = server.url.split("#");
    const ask = (path: string, authorization = `Bearer ${token}`): Promise<Response> =>
      fetch(`${address}page/${path}`, { headers: { authorization } });
    const [handle = ""] = /out_[0-9a-f]{16}/.exec(text) ?? [];
    return { ask, handle, other: other.handle };
  }

  it("gives nothing of it to anybody without the token", async () => {
    const { ask, handle } = await served();
    for (const path of [
      "conversations",
      "data?id=one",
      "texts?id=one&piece=0",
      `original?id=one&handle=${handle}`,
      "search?q=line",
      "export?id=one",
      "events",
    ]) {
      const response = await ask(path, "Bearer of-nothing");
      expect([path, response.status]).toEqual([path, 401]);
      expect(await response.text()).toBe("the token is missing");
    }
  });

  it("gives originals that the conversation names, and no other", async () => {
    const { ask, handle, other } = await served();
    const own = await ask(`original?id=one&handle=${handle}`);
    expect(((await own.json()) as { text: string }).text).toContain(SECRET);
    for (const asked of [other, "../../etc/passwd", ""])
      expect((await ask(`original?id=one&handle=${asked}`)).status).toBe(404);
  });

  it("finds a text in any case, also in originals", async () => {
    const { ask } = await served();
    const found = async (q: string): Promise<unknown> =>
      (await ask(`search?q=${encodeURIComponent(q)}`)).json();
    expect(await found("RUN IT")).toEqual([{ id: "one", hits: [0] }]);
    expect(await found("the archive alone")).toEqual([{ id: "one", hits: [2] }]);
    expect(await found("nowhere")).toEqual([{ id: "one", hits: [] }]);
    expect(await found(" ")).toEqual([]);
  });

  it("makes a file of a conversation, with the originals that it names", async () => {
    const { ask, other } = await served();
    const html = await (await ask("export?id=one")).text();
    expect(html).toContain('data-home="file"');
    expect(html).toContain(SECRET);
    expect(html).not.toContain(other);
    expect((await ask("export?id=two")).status).toBe(404);
  });
});
