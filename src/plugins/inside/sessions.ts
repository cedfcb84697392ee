import type { ContextOptions } from "../../context/index.ts";
import type { Limits } from "../../core/truncate/index.ts";
import { homeArchive } from "../../settings/home-archive.ts";
import { createRecent } from "../../hooks/conversations.ts";
import { type AgentFormat, type AgentModel, openSession, type Session } from "./session.ts";

/** The sessions of one process of an agent. */
export interface Sessions<Native> {
  /** The session, opened if it is not, or if it goes on with another model. */
  of(id: string, model: AgentModel): Session<Native>;
  /** One that is open. */
  find(id: string): Session<Native> | undefined;
}

/** Options that all sessions of a process share. */
export interface SessionsSetup<Native> {
  readonly format: AgentFormat<Native>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly settings?: Omit<ContextOptions, "archive">;
  /** The limits of one output. @default as everywhere else */
  readonly limits?: Partial<Limits>;
  /** Hears of everything that is worth a line in a log. */
  readonly log: (line: string) => void;
}

/** More are open at once only in a process that serves many people. */
const MOST_SESSIONS = 100;

export function createSessions<Native extends object>({
  format,
  env,
  settings,
  limits,
  log,
}: SessionsSetup<Native>): Sessions<Native> {
  // Outputs that are cut on arrival are named by the agent's session, long before there is a journal.
  const archive = homeArchive(env, { namedBy: true });
  const open = new Map<string, { readonly session: Session<Native>; readonly model: AgentModel }>();
  const use = createRecent<string>(MOST_SESSIONS, (id) => {
    void open.get(id)?.session.close();
    open.delete(id);
  });
  return {
    find: (id) => open.get(id)?.session,
    of(id, model) {
      use(id);
      const known = open.get(id);
      if (known !== undefined && isSameModel(known.model, model)) return known.session;
      void known?.session.close();
      const session = openSession({
        id,
        format,
        model,
        settings: { ...settings, archive },
        limits,
        log: (line) => log(`session ${id}: ${line}`),
      });
      open.set(id, { session, model });
      return session;
    },
  };
}

function isSameModel(one: AgentModel, other: AgentModel): boolean {
  return one.id === other.id && one.window === other.window && one.usable === other.usable;
}
