export * from "./budget.ts";
export * from "./provider-error.ts";
export { modelWindow } from "./model-window.ts";
