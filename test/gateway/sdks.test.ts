import { it } from "vitest";
import { sample } from "../property/runs.ts";
import { expectBehindGateway } from "./expect-behind.ts";
import { SDK_AGENTS } from "./sdk-agents.ts";

const CASES = Object.entries(SDK_AGENTS).map(([sdk, ways], at) => {
  const [api = "", run] = Object.entries(ways)[0] ?? [];
  return { sdk, api, run, stream: at % 2 === 0 };
});

it.each(sample(CASES, 3))(
  "an agent of $sdk ($api, streaming: $stream) works on behind the gateway, which counts no fault of its own",
  ({ run, stream }) => expectBehindGateway(run!, stream),
);
