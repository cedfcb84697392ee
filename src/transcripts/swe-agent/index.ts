export { sweAgent } from "./format.ts";
