export { cline } from "./cline.ts";
