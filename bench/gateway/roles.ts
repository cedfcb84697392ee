/** The parts of a measurement, each in a process of its own: `node roles.ts ROLE JSON`. */
import * as http from "node:http";
import type { AddressInfo } from "node:net";
import { pipeline } from "node:stream/promises";
import { startGateway, type Gateway } from "../../src/gateway/server.ts";
import type { Asked, RoleName, RoleSettings, Told } from "./parts.ts";

const agent = new http.Agent({ keepAlive: true });

/** A provider that streams two events as soon as it has the whole request, then `lasts` ms long one after the other. */
function provider({ lastsMs = 0, everyMs = 250 }: RoleSettings): http.Server {
  const event = (value: object): string => `data: ${JSON.stringify(value)}\n\n`;
  const delta = (text: string): string =>
    event({ type: "content_block_delta", delta: { type: "text_delta", text } });
  const start = event({
    type: "message_start",
    message: { usage: { input_tokens: 1_000, output_tokens: 1 } },
  });
  return http.createServer((request, response) => {
    request.resume().on("end", () => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(start + delta("Done."));
      if (lastsMs === 0) return void response.end();
      const began = Date.now();
      const timer = setInterval(() => {
        if (Date.now() - began < lastsMs) return void response.write(delta(` at=${stamp()} `));
        clearInterval(timer);
        response.end();
      }, everyMs);
      response.on("close", () => clearInterval(timer));
    });
  });
}

/** The same clock in every process of one machine, in ms. */
function stamp(): string {
  return (performance.timeOrigin + performance.now()).toFixed(2);
}

/** The least that stands between a client and a provider. */
function bare({ to = "" }: RoleSettings): http.Server {
  return http.createServer((request, response) => {
    const { method, headers, url } = request;
    const made = http.request(to + (url ?? ""), { method, headers, agent }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      // Who hangs up ends both sides.
      pipeline(answer, response).catch(() => made.destroy());
    });
    pipeline(request, made).catch(() => response.destroy());
  });
}

/** Portkey's own server, by its own start. */
async function portkey(): Promise<string> {
  const port = 20_000 + (process.pid % 20_000);
  process.argv.push(`--port=${port}`, "--headless");
  await import(import.meta.resolve("@portkey-ai/gateway/build/start-server.js"));
  return `http://127.0.0.1:${port}`;
}

let gateway: Gateway | undefined;

async function open(role: RoleName, settings: RoleSettings): Promise<string> {
  if (role === "portkey") return portkey();
  if (role !== "gateway") return listening(role === "bare" ? bare(settings) : provider(settings));
  const { to, archive, window } = settings;
  gateway = await startGateway({
    port: 0,
    ...(to !== undefined && { anthropic: to, openai: `${to}/v1` }),
    ...(archive !== undefined && { archive }),
    ...(window !== undefined && { window }),
  });
  return gateway.url;
}

async function listening(server: http.Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const tell = (told: Told): void => void process.send?.(told);
const [role, settings = "{}"] = process.argv.slice(2) as [RoleName, string | undefined];
let lag = 0;
let last = performance.now();
setInterval(() => {
  const now = performance.now();
  lag = Math.max(lag, now - last - 10);
  last = now;
}, 10).unref();
process.on("message", (asked: Asked) => {
  if (asked === "end") process.exit(0);
  if (asked === "collected") globalThis.gc?.();
  const { user, system } = process.cpuUsage();
  const peakRss = process.resourceUsage().maxRSS * 1_024;
  const { rss } = process.memoryUsage();
  tell({ cpuMs: (user + system) / 1_000, rss, peakRss, lagMs: lag });
  lag = 0;
});
process.on("disconnect", () => process.exit(0));
tell({ url: await open(role, JSON.parse(settings) as RoleSettings) });
