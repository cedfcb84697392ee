export * from "./clip.ts";
