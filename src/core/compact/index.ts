export * from "./clip.ts";
export * from "./pins.ts";
export * from "./tail.ts";
