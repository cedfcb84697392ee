export { openhands, openhandsDocument } from "./format.ts";
