export * from "./clip.ts";
export * from "./media.ts";
export * from "./pins.ts";
export * from "./tail.ts";
