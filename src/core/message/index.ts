export * from "./check.ts";
export * from "./json.ts";
export * from "./message.ts";
export * from "./repair.ts";
export * from "./shape.ts";
export * from "./structure.ts";
export * from "./text.ts";
