import type { DialectTraits } from "../core/plan/index.ts";
import { writeTraits } from "../transcripts/write.ts";

/**
 * Traits of a model's provider, for agents that speak to any of them. Agents say what stands
 * for a head in the person's name, whoever the provider is.
 */
export async function traitsOfModel({
  model = "",
}: {
  readonly model?: string;
}): Promise<DialectTraits> {
  const traits = await writeTraits(/claude/i.test(model) ? "anthropic" : "openai-responses");
  return { ...traits, summaryRole: "user" };
}
