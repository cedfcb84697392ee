export * from "./budget.ts";
export * from "./provider-error.ts";
