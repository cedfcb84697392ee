export * from "./continuation.ts";
export * from "./run-state.ts";
