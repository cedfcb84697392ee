export { contextBudget } from "../core/overflow/budget.ts";
export { recogniseOverflow } from "../core/overflow/provider-error.ts";
