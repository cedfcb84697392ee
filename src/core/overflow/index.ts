export * from "./budget-options.ts";
export * from "./budget.ts";
export * from "./error-layers.ts";
export * from "./provider-error.ts";
export * from "./unreachable-media.ts";
