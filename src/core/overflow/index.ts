export * from "./budget.ts";
export * from "./error-layers.ts";
export * from "./provider-error.ts";
