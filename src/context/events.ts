import type { TruncatedEvent } from "../tools/index.ts";
import type { JournalRecord } from "./journal.ts";
import type { ContextReport, Failure } from "./report.ts";

/** What a context tells its listeners. */
export interface ContextEvents {
  /** After every `prepare`, also when there was nothing to do. */
  readonly prepared: ContextReport;
  /** An edit was made and journaled. */
  readonly edited: JournalRecord;
  /** A tool output was truncated on arrival. */
  readonly truncated: TruncatedEvent;
  /** Something failed and the work went on without it. */
  readonly failed: Failure;
}

export type ContextEventName = keyof ContextEvents;
export type ContextListener<Name extends ContextEventName> = (event: ContextEvents[Name]) => void;

/** Listeners by event name; a listener that throws harms nobody else. */
export interface Emitter {
  on<Name extends ContextEventName>(name: Name, listener: ContextListener<Name>): () => void;
  emit<Name extends ContextEventName>(name: Name, event: ContextEvents[Name]): void;
}

export function createEmitter(): Emitter {
  const listeners = new Map<ContextEventName, Set<(event: never) => void>>();
  return {
    on(name, listener) {
      const own = listeners.get(name) ?? new Set();
      listeners.set(name, own.add(listener));
      return () => void own.delete(listener);
    },
    emit(name, event) {
      for (const listener of listeners.get(name) ?? []) {
        try {
          listener(event as never);
        } catch {
          // An observer must not be able to stop the agent.
        }
      }
    },
  };
}
