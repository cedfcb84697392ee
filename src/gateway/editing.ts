import type { Usage } from "../core/message/index.ts";
import type { WireApi } from "../hooks/wire-answer.ts";
import { PROTOCOLS, modelOf, type Protocol, type Sending } from "./protocols.ts";
import type { Group, Groups } from "./groups.ts";
import { answerOf, type ReadyAnswer } from "./compaction/answers.ts";
import { clientCompaction, summaryFor } from "./compaction/recognise.ts";
import { createEpochs } from "./epochs.ts";
import { credentialOf, sessionOf } from "./identity.ts";
import type { RawHeaders } from "./headers.ts";
import type { Metrics } from "./metrics.ts";
import type { GatewaySettings } from "./options.ts";
import { createPrefixCheck } from "./prefix-check.ts";
import { createKnownBodies, type Reading } from "./read-body.ts";
import { isOwnTool } from "./recall/recalls.ts";
import type { RecallTurn } from "./recall/turn.ts";
import type { Route } from "./routes.ts";
import { splicedBody } from "./splice.ts";
import type { WireObject } from "../dialects/wire.ts";

/** A request that may be edited: its body, unpacked, and what came beside it. */
export interface Request {
  readonly route: Route & Required<Pick<Route, "protocol">>;
  readonly headers: RawHeaders;
  readonly bytes: Buffer;
  readonly signal: AbortSignal;
}

export interface SentBody {
  /** The client's own, the very object, where nothing had to be done. */
  readonly bytes: Buffer;
  readonly beta?: string;
}

export interface EditedRequest {
  readonly conversation: string;
  readonly model: string;
  readonly api: WireApi;
  readonly sent: SentBody;
  /** An answer without the provider. */
  readonly ready?: ReadyAnswer;
  readonly isEdit: boolean;
  learn(usage: Usage): void;
  /** The body to send instead of a refused one, or `undefined`. Never rejects. */
  recover(refused: unknown): Promise<SentBody | undefined>;
  /** The answers to calls of our own tools, where they were offered; `ask` sends one more request. */
  readonly recall?: (ask: (next: EditedRequest) => Promise<Response>) => RecallTurn;
}

export interface EditingParts {
  readonly settings: GatewaySettings;
  readonly metrics: Metrics;
  readonly groups: Groups;
}

/**
 * A request as it should go on; `undefined` for one that passes as it is: it cannot be read, or
 * somebody else keeps its conversation, or something failed here. Rejects only by the signal.
 */
export function createEditing({ settings, metrics, groups }: EditingParts) {
  const readBody = createKnownBodies();
  const checkPrefix = createPrefixCheck((conversation) => {
    metrics.countIn(conversation, "prefix_violations");
    settings.log({ level: "warn", event: "failed", code: "prefix-changed" });
  });
  const epochs = createEpochs(settings);
  const failed = (error: unknown): void => {
    metrics.count("failed_open");
    const { code = (error as Error).name } = error as NodeJS.ErrnoException;
    settings.log({ level: "warn", event: "failed", code });
  };
  return async (request: Request): Promise<EditedRequest | undefined> => {
    try {
      const { headers, route, bytes } = request;
      // Bodies of one credential are never held against those of another.
      const owner = route.protocol + credentialOf(headers);
      const reading = readBody(bytes, owner, PROTOCOLS[route.protocol].listKey);
      if (reading === undefined) {
        failed({ code: "unreadable-body" });
        return undefined;
      }
      const { params } = reading.body;
      // A count belongs to the conversation that it counts.
      const url = new URL(route.url.pathname.replace(/\/count_tokens$/, ""), route.url);
      const group = await groups.of({ protocol: route.protocol, headers, params, url });
      if (group === undefined || group.protocol.managedBy(params) !== undefined) return undefined;
      if (route.isCount === true) return await counted(reading, group);
      const parts = { reading, group, checkPrefix, epochs, failed, settings, metrics };
      return await prepared(request, parts);
    } catch (error) {
      if (request.signal.aborted) throw error;
      failed(error);
      return undefined;
    }
  };
}

async function counted({ body }: Reading, group: Group): Promise<EditedRequest> {
  const { params: given, bytes } = body;
  const { protocol, recalls } = group;
  const { params } = await askedOf(given, group, { isCount: true });
  const seen = await group.view(params);
  const place = { key: protocol.listKey, given, isOwn: recalls.isOwn };
  const sent = { bytes: seen === given ? bytes : splicedBody(body, place, seen) };
  return { ...untouched(given, group), sent };
}

/** A client's request with the calls of our own tools that it never saw, and with those tools. */
interface Asked {
  readonly params: WireObject;
  readonly isOffered: boolean;
}

async function askedOf(
  given: WireObject,
  { protocol, recalls }: Group,
  { isCount }: { readonly isCount: boolean },
): Promise<Asked> {
  const list = listOf(protocol, given);
  const restored = await recalls.restored(list);
  const params = restored === list ? given : { ...given, [protocol.listKey]: restored };
  const isOffered = await recalls.isOffered(given, list, { isCount });
  return { params: isOffered ? recalls.offering(params) : params, isOffered };
}

interface Preparing {
  readonly reading: Reading;
  readonly group: Group;
  readonly checkPrefix: ReturnType<typeof createPrefixCheck>;
  readonly epochs: ReturnType<typeof createEpochs>;
  readonly failed: (error: unknown) => void;
  readonly settings: GatewaySettings;
  readonly metrics: Metrics;
}

async function prepared(request: Request, parts: Preparing): Promise<EditedRequest> {
  const { group, reading, settings } = parts;
  const { params, bytes } = reading.body;
  const asked = await askedOf(params, group, { isCount: false });
  const compaction = clientCompaction(request.headers, listOf(group.protocol, params));
  if (compaction === undefined) return step(request, asked, parts);
  parts.metrics.count("client_compactions");
  const isAnswered = settings.compaction === "answer" && !settings.audit;
  const summary = isAnswered ? await summarised(asked, parts) : undefined;
  if (summary === undefined) return step(request, asked, parts);
  const text = summaryFor(compaction, summary);
  const ready = answerOf(request.route.protocol, params, text);
  return { ...untouched(params, group), sent: { bytes }, ready };
}

/** A request that is looked into, and of which nothing is remembered. */
function untouched(params: WireObject, { id, protocol }: Group): Omit<EditedRequest, "sent"> {
  return {
    conversation: id,
    model: modelOf(params),
    api: protocol.api,
    isEdit: false,
    learn: () => undefined,
    recover: () => Promise.resolve(undefined),
  };
}

/** The recorded facts of a history; where they cannot be made, a model is asked after all. */
async function summarised(
  { params }: Asked,
  { group, failed }: Preparing,
): Promise<string | undefined> {
  try {
    return await group.summary(params);
  } catch (error) {
    failed(error);
    return undefined;
  }
}

function listOf(protocol: Protocol, params: WireObject): readonly WireObject[] {
  return (protocol.messagesOf(params) ?? []) as readonly WireObject[];
}

/** One request to the provider: what the client asked, and what was said on the way to an answer. */
async function step(
  request: Request,
  { params: asked, isOffered }: Asked,
  parts: Preparing,
): Promise<EditedRequest> {
  const { reading, group, checkPrefix, epochs, failed, settings } = parts;
  const { protocol, recalls } = group;
  const { body } = reading;
  const opened = group.open(asked);
  const given = ownObjects(body.params, { asked, given: opened.given }, protocol.listKey);
  reading.keep(given);
  const place = { key: protocol.listKey, given, isOwn: recalls.isOwn };
  const bodyOf = ({ params, beta }: Sending): SentBody => {
    if (params === opened.given && asked === body.params) return { bytes: body.bytes };
    return { bytes: splicedBody(body, place, params), ...(beta !== undefined && { beta }) };
  };
  const edits = opened.context.journal().length;
  const pays = epochs.before(opened, protocol);
  const sending = await opened.prepare({ signal: request.signal, ...(pays && { pays }) });
  checkPrefix(opened, group, sending.params);
  const edited = bodyOf(sending);
  tellSent(request, { ...sending, given: opened.given }, { group, settings });
  return {
    conversation: group.id,
    model: modelOf(given),
    api: protocol.api,
    // An audit edits nothing, so reports are about histories as they came.
    sent: edited,
    isEdit: opened.context.journal().length > edits,
    learn(usage) {
      tellUsage(settings, group.id, usage);
      epochs.answered(opened.context);
      if (!settings.audit || edited.bytes === body.bytes) opened.learn(usage);
    },
    async recover(refused) {
      try {
        const again = settings.audit ? undefined : await opened.recover(refused);
        if (again === undefined) return undefined;
        checkPrefix(opened, group, again.params);
        return bodyOf(again);
      } catch (error) {
        failed(error);
        return undefined;
      }
    },
    ...(isOffered && { recall: (ask) => recallTurn(request, asked, { ...parts, ask }) }),
  };
}

/** The parameters of a body, in the objects that its conversation has for them. */
function ownObjects(
  params: WireObject,
  { asked, given }: { readonly asked: WireObject; readonly given: WireObject },
  key: string,
): WireObject {
  const [own, before, after] = [params[key], asked[key], given[key]];
  if (!Array.isArray(own) || !Array.isArray(before) || !Array.isArray(after)) return params;
  if (asked === params) return given;
  const known = new Map(before.map((message: unknown, at) => [message, after[at] as unknown]));
  return { ...params, [key]: own.map((message: unknown) => known.get(message) ?? message) };
}

function recallTurn(
  request: Request,
  asked: WireObject,
  { ask, ...parts }: Preparing & { readonly ask: (next: EditedRequest) => Promise<Response> },
): RecallTurn {
  const { group, reading, failed, metrics } = parts;
  const { protocol, recalls } = group;
  return {
    wire: protocol.recall,
    params: asked,
    isOwn: isOwnTool,
    failed,
    run(call) {
      metrics.countIn(group.id, "recalls");
      return recalls.run(call);
    },
    async ask(said) {
      const list = [...listOf(protocol, asked), ...said];
      recalls.note(said);
      const params = { ...asked, [protocol.listKey]: list };
      return ask(await step(request, { params, isOffered: true }, parts));
    },
    keep: (answer) => recalls.keep(answer, listOf(protocol, reading.body.params)),
  };
}

/** Tells the watch of a request; a watch that fails harms nobody. */
function tellSent(
  { route, headers }: Request,
  { params, given }: Sending & { readonly given: WireObject },
  { group, settings }: Pick<Preparing, "group" | "settings">,
): void {
  const { watch, window } = settings;
  if (watch === undefined) return;
  try {
    watch.sent({
      id: group.id,
      session: sessionOf({ headers, params, url: route.url }),
      model: modelOf(params),
      window,
      messages: group.protocol.decode(params),
      tools: params["tools"],
      isEdited: params !== given,
    });
  } catch {
    // Nobody waits for it.
  }
}

function tellUsage({ watch }: GatewaySettings, id: string, usage: Usage): void {
  try {
    watch?.learned(id, usage);
  } catch {
    // Nobody waits for it.
  }
}
