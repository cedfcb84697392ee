import type { ModelRequest } from "./wire.ts";

/** What shows that the provider keeps or edits the conversation itself. */
export function managedBy(request: ModelRequest): string | undefined {
  const { previousResponseId, conversationId, modelSettings } = request;
  if (previousResponseId !== undefined) return "previousResponseId";
  if (conversationId !== undefined) return "conversationId";
  const { truncation, contextManagement, providerData = {} } = modelSettings;
  const strategies = contextManagement ?? providerData["context_management"];
  if (Array.isArray(strategies) && strategies.length > 0) return "contextManagement";
  const isCut = truncation === "auto" || providerData["truncation"] === "auto";
  return isCut ? 'truncation: "auto"' : undefined;
}
