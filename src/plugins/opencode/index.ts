import { longhaulOpencode } from "./server.ts";

const plugin = { id: "longhaul", server: longhaulOpencode } as const;

// oxlint-disable-next-line import/no-default-export -- opencode takes what a module exports by default.
export { plugin as default };
