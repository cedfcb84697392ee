export * from "./cache.ts";
export * from "./fate.ts";
export * from "./policies.ts";
export * from "./references.ts";
export * from "./simulate.ts";
export * from "./texts.ts";
export * from "./uses.ts";
