import type { Usage } from "../core/message/index.ts";
import { modelOf, type Sending } from "./doors.ts";
import type { Group } from "./groups.ts";
import type { RawHeaders } from "./headers.ts";
import { sessionOf } from "./identity.ts";
import type { GatewaySettings } from "./options.ts";
import type { Route } from "./routes.ts";
import type { WireObject } from "../dialects/wire.ts";

/** Tells who looks on what goes to a provider; a watch that fails harms nobody. */
export function tellSent(
  { route, headers }: { readonly route: Pick<Route, "url">; readonly headers: RawHeaders },
  { params, given }: Sending & { readonly given: WireObject },
  { group, settings }: { readonly group: Group; readonly settings: GatewaySettings },
): void {
  const { watch, window } = settings;
  if (watch === undefined) return;
  try {
    watch.sent({
      id: group.id,
      session: sessionOf({ headers, params, url: route.url }),
      model: modelOf(params),
      window,
      messages: group.door.decode(params),
      tools: params["tools"],
      isEdited: params !== given,
    });
  } catch {
    // Nobody waits for it.
  }
}

export function tellUsage({ watch }: GatewaySettings, id: string, usage: Usage): void {
  try {
    watch?.learned(id, usage);
  } catch {
    // Nobody waits for it.
  }
}
