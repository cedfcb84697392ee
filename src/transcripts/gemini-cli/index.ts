export { geminiCli } from "./gemini-cli.ts";
export { geminiCliLines } from "./gemini-cli-lines.ts";
