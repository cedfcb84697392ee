export * from "./handle.ts";
