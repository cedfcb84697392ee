export * from "./edit.ts";
export * from "./original.ts";
