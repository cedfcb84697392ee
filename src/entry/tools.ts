export { recallTools } from "../archive/recall-tools.ts";
export { wrapTools } from "../tools/wrap-tool.ts";
