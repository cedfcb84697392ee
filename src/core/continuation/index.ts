export * from "./continuation.ts";
