import type { Usage } from "../core/message/index.ts";
import type { WireApi } from "../hooks/wire-answer.ts";
import { saysTheSame } from "../hooks/follow-natives.ts";
import { isParams, modelOf, type Door, type DoorRequest, type Sending } from "./doors.ts";
import { type Call, createGroups, type Group } from "./groups.ts";
import type { RawHeaders } from "./headers.ts";
import type { Metrics } from "./metrics.ts";
import type { GatewaySettings } from "./options.ts";
import type { Route } from "./routes.ts";
import { spliced } from "./splice.ts";
import type { WireObject } from "../dialects/wire.ts";

/** A request that may be edited: the text of its body, and what came beside it. */
export interface Request {
  readonly route: Route & Required<Pick<Route, "protocol">>;
  readonly headers: RawHeaders;
  readonly text: string;
  readonly signal: AbortSignal;
}

/** What goes on in place of a body. */
export interface SentBody {
  /** The client's own text where nothing had to be done. */
  readonly text: string;
  readonly beta?: string;
}

/** A request that was looked into. */
export interface EditedRequest {
  readonly conversation: string;
  readonly model: string;
  readonly api: WireApi;
  readonly sent: SentBody;
  learn(usage: Usage): void;
  /** What to send instead of what was refused, or `undefined`. Never rejects. */
  recover(refused: unknown): Promise<SentBody | undefined>;
}

/** Makes requests fit. */
export interface Editing {
  /**
   * A request as it should go on; `undefined` for one that passes as it is: it cannot be read, or
   * somebody else keeps its conversation, or something failed here. Rejects only by the signal.
   */
  open(request: Request): Promise<EditedRequest | undefined>;
  close(): Promise<void>;
}

export function createEditing(settings: GatewaySettings, metrics: Metrics): Editing {
  const groups = createGroups(settings, metrics);
  const prefixes = createPrefixCheck(() => {
    metrics.count("prefix_violations");
    settings.log({ level: "warn", event: "failed", code: "prefix-changed" });
  });
  const failed = (error: unknown): void => {
    metrics.count("failed_open");
    const { code = (error as Error).name } = error as NodeJS.ErrnoException;
    settings.log({ level: "warn", event: "failed", code });
  };
  return {
    async open(request) {
      try {
        const call = callOf(request);
        const group = call && groups.of(call);
        if (call === undefined || group === undefined) return undefined;
        if (group.door.managedBy(call.params) !== undefined) return undefined;
        if (request.route.isCount === true) return await counted(request, call, group);
        return await prepared(request, { call, group, prefixes, failed, settings });
      } catch (error) {
        if (request.signal.aborted) throw error;
        failed(error);
        return undefined;
      }
    },
    close: () => groups.close(),
  };
}

function callOf({ route, headers, text }: Request): Call | undefined {
  let params: unknown;
  try {
    params = JSON.parse(text);
  } catch {
    // What is no JSON is for the provider to complain about.
    return undefined;
  }
  if (!isParams(params)) return undefined;
  // A count belongs to the conversation that it counts.
  const url = new URL(route.url.pathname.replace(/\/count_tokens$/, ""), route.url);
  return { protocol: route.protocol, headers, params, url };
}

async function counted({ text }: Request, { params }: Call, group: Group): Promise<EditedRequest> {
  const seen = await group.view(params);
  return {
    conversation: group.id,
    model: modelOf(params),
    api: group.door.api,
    sent: { text: seen === params ? text : spliced(text, params, seen) },
    learn: () => undefined,
    recover: () => Promise.resolve(undefined),
  };
}

interface Preparing {
  readonly call: Call;
  readonly group: Group;
  readonly prefixes: PrefixCheck;
  readonly failed: (error: unknown) => void;
  readonly settings: GatewaySettings;
}

async function prepared(
  { text, signal }: Request,
  { call, group, prefixes, failed, settings }: Preparing,
): Promise<EditedRequest> {
  const { door } = group;
  const opened = group.open(call.params);
  const { given } = opened;
  const bodyOf = ({ params, beta }: Sending): SentBody => {
    if (params === given) return { text };
    return { text: spliced(text, given, params), ...(beta !== undefined && { beta }) };
  };
  const sending = await opened.prepare(signal);
  prefixes.check(opened, door, sending.params);
  const edited = bodyOf(sending);
  return {
    conversation: group.id,
    model: modelOf(call.params),
    api: door.api,
    // An audit edits nothing, so reports are about histories as they came.
    sent: edited,
    learn(usage) {
      if (!settings.audit || edited.text === text) opened.learn(usage);
    },
    async recover(refused) {
      try {
        const again = settings.audit ? undefined : await opened.recover(refused);
        if (again === undefined) return undefined;
        prefixes.check(opened, door, again.params);
        return bodyOf(again);
      } catch (error) {
        failed(error);
        return undefined;
      }
    },
  };
}

/** Holds each conversation against its last request: what went out before goes out the same again. */
interface PrefixCheck {
  check(request: DoorRequest, door: Door, sent: WireObject): void;
}

interface Sent {
  readonly given: readonly unknown[];
  readonly sent: readonly unknown[];
  /** How many edits were planned until then. */
  readonly edits: number;
}

function createPrefixCheck(onViolation: () => void): PrefixCheck {
  const last = new WeakMap<object, Sent>();
  return {
    check({ context, given }, door, params) {
      const before = last.get(context);
      const now: Sent = {
        given: door.messagesOf(given) ?? [],
        sent: door.messagesOf(params) ?? [],
        edits: context.journal().length,
      };
      last.set(context, now);
      if (before === undefined || before.edits !== now.edits) return;
      if (beginsWith(now.given, before.given) && !beginsWith(now.sent, before.sent)) onViolation();
    },
  };
}

function beginsWith(list: readonly unknown[], start: readonly unknown[]): boolean {
  return start.length <= list.length && start.every((one, at) => saysTheSame(one, list[at]));
}
