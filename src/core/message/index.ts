export * from "./check.ts";
export * from "./edit.ts";
export * from "./handle.ts";
export * from "./message.ts";
export * from "./original.ts";
export * from "./repair.ts";
export * from "./shape.ts";
export * from "./structure.ts";
