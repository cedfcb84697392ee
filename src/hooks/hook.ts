import { assertOptions } from "../core/overflow/budget-options.ts";
import { createContext, reportFailure, type Context } from "../context/create-context.ts";
import { withoutConversation, type ContextOptions } from "../context/options.ts";
import { ContextError } from "../core/error.ts";
import { describeValue } from "../core/rules.ts";
import { modelWindow } from "../core/overflow/budget.ts";
import { isWireObject } from "../dialects/wire.ts";
import type { DialectTraits } from "../dialects/dialect.ts";
import type { Summarizer } from "../models/summarizer.ts";
import type { ContextEventName, ContextListener } from "../context/index.ts";

/** The options of every hook: those of a context, and what an SDK knows beside. */
export interface HookOptions<Model, Written, Request> extends Omit<
  ContextOptions,
  "model" | "summarizer"
> {
  /**
   * The agent's model: its id, or the SDK's own object. Without `window`, that of the
   * model is taken, and until usage is reported its family says how it counts.
   * @default a window of 128,000
   */
  readonly model?: string | Model;
  /**
   * The writer of summaries: `"model"` for the agent's own `model`, a summarizer of
   * `longhaul/models`, a function, or what the SDK itself calls a model with. @default
   * "extractive", which asks nobody
   */
  readonly summarizer?: ContextOptions["summarizer"] | "model" | Written;
  /**
   * The id of the conversation that a request belongs to, where one hook serves several; a request
   * without one is told apart as by default. @default by how a conversation begins, or by its thread
   */
  readonly conversationOf?: (request: Request) => string | undefined;
  /** The most conversations held at once; the one unused for longest gives way. @default 100 */
  readonly maxConversations?: number;
  /** Is told of every conversation that gets a context of its own, beside the first. */
  readonly onConversation?: (context: Context, id: string) => void;
}

/** The facts of an SDK; models and summarizers are recognised by their members. */
export interface HookSdk {
  readonly traits: DialectTraits;
  /** A model's id and window. @default its id, or its `modelId` */
  readonly aboutModel?: (model: unknown) => AboutModel;
  /** A summarizer for what is one only in the words of the SDK; else `undefined`. */
  readonly summarizerOf: (given: unknown, model: unknown) => Summarizer | undefined;
  /** A summarizer on the model of an id, with the key of the environment. @default an id is none */
  readonly summarizerById?: (id: string) => Summarizer;
}

/** A model's id, and its window where it names that; in both, `undefined` where it is not known. */
export interface AboutModel {
  readonly model: string | undefined;
  readonly window: number | undefined;
}

type AnyOptions<Request> = HookOptions<unknown, unknown, Request>;

/** The contexts behind one hook. */
export interface Hook<Request> {
  /** The hook's own; its `on` hears of the others, too. */
  readonly context: Context;
  readonly settings: ContextOptions;
  readonly maxConversations: number;
  /** The caller's word for it; `undefined` where there is none. */
  readonly conversationOf: (request: Request) => string | undefined;
  /** One more context, with these settings in place of the hook's, for the model of its requests. */
  open(id: string, own: ContextOptions, model?: () => unknown): Context;
  /** A limit of a model that its provider names holds for contexts that are opened later. */
  heed(context: Context, model: () => unknown): void;
  close(context: Context): void;
  /** The hook of a sub-agent: nothing of its parent's conversation, and the same archive. */
  subAgent(own: AnyOptions<Request>): Hook<Request>;
}

const MOST_CONVERSATIONS = 100;

/** Opens the hook's own context. Throws `invalid-options` for options that make no sense. */
export function createHook<Request>(given: AnyOptions<Request>, sdk: HookSdk): Hook<Request> {
  const settings = { traits: sdk.traits, ...contextOptions(given, sdk) };
  const { conversationOf, onConversation, maxConversations = MOST_CONVERSATIONS } = given;
  if (!Number.isInteger(maxConversations) || maxConversations < 1) {
    throw new ContextError(
      "invalid-options",
      `The option maxConversations is ${String(maxConversations)}; give a whole number from 1 on.`,
      { details: { option: "maxConversations", value: maxConversations } },
    );
  }
  const own = { sdk, conversationOf, onConversation, maxConversations };
  return hookOn(createContext(settings), settings, own);
}

interface Shared<Request> extends Pick<AnyOptions<Request>, "conversationOf" | "onConversation"> {
  readonly sdk: HookSdk;
  readonly maxConversations: number;
}

function hookOn<Request>(
  main: Context,
  settings: ContextOptions,
  { sdk, conversationOf, onConversation, maxConversations }: Shared<Request>,
): Hook<Request> {
  const { on, follow, leave } = createListeners(main, settings);
  const limits = createLimits(settings.window);
  const context: Context = { ...main, on };
  let isFull = false;
  return {
    context,
    settings,
    maxConversations,
    conversationOf: (request) => conversationOf?.(request),
    heed: limits.heed,
    open(id, instead, model = () => undefined) {
      const own = { ...settings, ...instead };
      const opened = createContext({ ...own, window: limits.of(model(), own.window) });
      limits.heed(opened, model, own.window);
      follow(opened);
      onConversation?.(opened, id);
      return opened;
    },
    close(opened) {
      if (!isFull && opened.journal().length > 0) {
        isFull = true;
        reportFailure(main, tooMany(maxConversations));
      }
      leave(opened);
      void opened.close();
    },
    subAgent(given) {
      const options = contextOptions(given, sdk);
      const theirs = { ...withoutConversation(settings), archive: context.archive, ...options };
      return hookOn(context.subAgent(options), theirs, {
        sdk,
        conversationOf: given.conversationOf,
        onConversation: given.onConversation ?? onConversation,
        maxConversations,
      });
    },
  };
}

function tooMany(most: number): ContextError {
  return new ContextError(
    "limit-exceeded",
    `More than ${most} conversations go through one hook, so one that was edited has given way; when it goes on it is edited anew. Raise maxConversations, or keep its journal: conversation, and an archive on disk.`,
    { details: { option: "maxConversations", value: most } },
  );
}

function contextOptions<Request>(given: AnyOptions<Request>, sdk: HookSdk): ContextOptions {
  assertOptions(given);
  const { model, summarizer, ...rest } = given;
  const { conversationOf: _c, maxConversations: _m, onConversation: _o, ...options } = rest;
  const about = (sdk.aboutModel ?? aboutModel)(model);
  const window = options.window ?? about.window;
  const written =
    summarizer === "model"
      ? ownSummarizer(model, sdk)
      : (sdk.summarizerOf(summarizer, model) ?? summarizer);
  return {
    ...options,
    ...(about.model !== undefined && { model: about.model }),
    ...(window !== undefined && { window }),
    // Anything else is for the context to refuse.
    ...(written !== undefined && { summarizer: written as ContextOptions["summarizer"] }),
  };
}

function ownSummarizer(model: unknown, sdk: HookSdk): Summarizer {
  const byId = typeof model === "string" ? sdk.summarizerById : undefined;
  const made = byId === undefined ? sdk.summarizerOf(model, model) : byId(model as string);
  if (made !== undefined) return made;
  const wanted = sdk.summarizerById === undefined ? "the SDK's model object" : "the model's id";
  throw new ContextError(
    "invalid-options",
    `The option summarizer is "model", and the option model is ${typeof model === "string" ? `"${model}"` : describeValue(model)}; give ${wanted} as model.`,
    { details: { option: "summarizer" } },
  );
}

/** A model by its id, or by the SDK's own object that has one. */
export function aboutModel(model: unknown): AboutModel {
  const id = isWireObject(model) ? model["modelId"] : model;
  return aboutId(typeof id === "string" ? id : undefined);
}

export function aboutId(model: string | undefined): AboutModel {
  return { model, window: modelWindow(model ?? "") };
}

/** Providers name a limit with a refusal; the next conversation need not be refused for it. */
function createLimits(usual: number | undefined) {
  const named = new Map<string, number>();
  const keyOf = (model: unknown, stated?: number): string => `${String(model)} ${stated}`;
  return {
    /** The window of a model, whose stated one is given. */
    of: (model: unknown, stated?: number) => named.get(keyOf(model, stated)) ?? stated,
    heed: (context: Context, model: () => unknown, stated = usual): void => {
      let first: number | undefined;
      context.on("prepared", ({ window }) => {
        first ??= window;
        if (window < first) named.set(keyOf(model(), stated), window);
      });
    },
  };
}

type Listening = (context: Context) => () => void;

/**
 * While nobody listens to `failed`, the console says each code once: one added line has no other
 * way to be heard.
 */
function createListeners(main: Context, { plugins = [] }: ContextOptions) {
  const contexts = new Set<Context>();
  const listening = new Map<Listening, Map<Context, () => void>>();
  const warned = new Set<string>();
  let heard = plugins.filter(({ onEvent }) => onEvent !== undefined).length;
  const warn: ContextListener<"failed"> = ({ code, message }) => {
    if (heard > 0 || warned.has(code)) return;
    warned.add(code);
    // oxlint-disable-next-line no-console -- the console is where a person looks first.
    console.warn(`longhaul: ${message}`);
  };
  const follow = (context: Context): void => {
    contexts.add(context);
    context.on("failed", warn);
    for (const [listen, stops] of listening) stops.set(context, listen(context));
  };
  follow(main);
  return {
    /** From now on the context is heard, too; `leave` ends that. */
    follow,
    leave: (context: Context): void => {
      contexts.delete(context);
      for (const stops of listening.values()) stops.delete(context);
    },
    on: <Name extends ContextEventName>(name: Name, listener: ContextListener<Name>) => {
      const listen: Listening = (context) => context.on(name, listener);
      listening.set(listen, new Map([...contexts].map((one) => [one, listen(one)])));
      if (name === "failed") heard += 1;
      return () => {
        for (const stop of listening.get(listen)?.values() ?? []) stop();
        if (listening.delete(listen) && name === "failed") heard -= 1;
      };
    },
  };
}
