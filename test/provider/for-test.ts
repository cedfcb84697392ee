import { onTestFinished } from "vitest";
import { startUpstream } from "./server.ts";
import type { Upstream, UpstreamOptions } from "./types.ts";

/** A server that ends with the test that starts it. */
export async function upstreamForTest(options: UpstreamOptions): Promise<Upstream> {
  const upstream = await startUpstream(options);
  onTestFinished(() => upstream.close());
  return upstream;
}
