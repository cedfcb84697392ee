export * from "./apply-plan.ts";
export * from "./options.ts";
export * from "./plan.ts";
export * from "./plan-context.ts";
export * from "./size.ts";
