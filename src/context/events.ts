import { type Failure, harmless } from "../core/error.ts";
import type { SummaryCall } from "../models/summarizer.ts";
import type { TruncatedEvent } from "../tools/index.ts";
import type { JournalRecord } from "./journal.ts";
import type { ContextReport } from "./report.ts";

/** The events of a context, by name. */
export interface ContextEvents {
  /** After every `prepare`, also when there was nothing to do. */
  readonly prepared: ContextReport;
  /** An edit was made and journaled. */
  readonly edited: JournalRecord;
  /** A tool output was truncated on arrival. */
  readonly truncated: TruncatedEvent;
  /** A model was asked for a summary, or for a part of one; retries come one by one. */
  readonly modelCalled: SummaryCall;
  /** Something failed and the work went on without it. */
  readonly failed: Failure;
}

export type ContextEventName = keyof ContextEvents;

/** An event with its name, for listeners to all of them. */
export type AnyContextEvent = {
  readonly [Name in ContextEventName]: {
    readonly name: Name;
    readonly event: ContextEvents[Name];
  };
}[ContextEventName];
export type ContextListener<Name extends ContextEventName> = (event: ContextEvents[Name]) => void;

/** Listeners by event name; a listener that throws, or rejects, harms nobody else. */
export interface Emitter {
  on<Name extends ContextEventName>(name: Name, listener: ContextListener<Name>): () => void;
  /** Adds a listener to every event. */
  onAny(listener: (event: AnyContextEvent) => void): void;
  emit<Name extends ContextEventName>(name: Name, event: ContextEvents[Name]): void;
}

export function createEmitter(): Emitter {
  const listeners = new Map<ContextEventName, Set<(event: never) => void>>();
  const toAll: ((event: AnyContextEvent) => void)[] = [];
  return {
    on(name, listener) {
      const own = listeners.get(name) ?? new Set();
      listeners.set(name, own.add(listener));
      return () => void own.delete(listener);
    },
    onAny(listener) {
      toAll.push(listener);
    },
    emit(name, event) {
      for (const listener of listeners.get(name) ?? []) harmless(() => listener(event as never));
      for (const listener of toAll) harmless(() => listener({ name, event } as AnyContextEvent));
    },
  };
}
