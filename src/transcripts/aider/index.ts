export { aider } from "./aider.ts";
