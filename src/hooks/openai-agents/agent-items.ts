import type { Dialect } from "../../dialects/dialect.ts";
import { openaiResponses } from "../../dialects/openai-responses/openai-responses.ts";
import type { ResponsesItem } from "../../dialects/openai-responses/wire.ts";
import { type ItemNames, nativeItem } from "./native-item.ts";
import { responsesView } from "./responses-view.ts";
import type { AgentItem } from "./wire.ts";

/**
 * The items of the Agents SDK. They are those of the Responses API with other names, and the same
 * rules hold for them on the wire; so they are shown to the dialect of that API, which decides.
 */
export const agentItems: Dialect<readonly AgentItem[], AgentItem> = {
  ...openaiResponses,
  decode: (items) => openaiResponses.decode(viewsOf(items)),
  createDecoder() {
    const decode = openaiResponses.createDecoder();
    const open = decode.open;
    return Object.assign((item: AgentItem) => decode(responsesView(item)), open && { open });
  },
  encode(messages) {
    const names: ItemNames = new Map();
    return openaiResponses.encode(messages).map((item) => nativeItem(item, names));
  },
  check: (items, options) => openaiResponses.check(viewsOf(items), options),
};

function viewsOf(items: readonly AgentItem[]): readonly ResponsesItem[] {
  // What is no list is for the dialect to refuse.
  return Array.isArray(items) ? items.map((item: AgentItem) => responsesView(item)) : (items as []);
}
