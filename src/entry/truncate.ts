export { truncateOutput } from "../core/truncate/truncate-output.ts";
