export * from "./boundary.ts";
export * from "./placeholder.ts";
export * from "./protection.ts";
export * from "./prune.ts";
