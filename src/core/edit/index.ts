export * from "./edit.ts";
export * from "./message-lines.ts";
export * from "./original.ts";
