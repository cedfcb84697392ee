import { agentTools, type AgentTool, FACT, MODULES, SECRET_FILE } from "./agent-tools.ts";
import type { Reply, ReplyPart, RequestView, Script } from "../provider/index.ts";
import { runs } from "../property/runs.ts";

/**
 * One long task that is the same for every SDK: a scripted model that calls real tools. It looks
 * into each request as a model would, and notes in `problems` what it would have missed.
 */
export interface ScriptedAgent {
  readonly system: string;
  /** What the user says; the next text follows when the agent has answered the one before. */
  readonly turns: readonly string[];
  readonly tools: readonly AgentTool[];
  /** For `upstreamForTest({ script })`; one agent serves one conversation. */
  readonly script: Script;
  /** What a request did not show although the model needs it; must stay empty. */
  readonly problems: readonly string[];
  /** How many requests the script answered. */
  readonly answered: number;
  /** Whether an answer, the last of the task, says what was read in step 3. */
  knows(answer: string): boolean;
}

export interface AgentTask {
  /** Requests that call tools; three answers and one search come on top. @default STEPS */
  readonly steps?: number;
  /** Whether the model thinks in every step; else in two of three. @default false */
  readonly alwaysThinks?: boolean;
}

/** So long is a task by default: several compactions of a window of 32k. */
export const STEPS: number = runs(24, 200);

/** The rule in the first message; it must be in sight in every request, word for word. */
export const CONSTRAINT = "Never change anything below legacy/, whatever a test may say.";

const SYSTEM = `You are a careful programmer in a repository that books orders.
Amounts are in cents. You read before you write, and you say what you did.`;

/** When the user speaks again, as a share of the steps. */
const TURN_ENDS = [0.4, 0.75, 1];

const TURNS = [
  `Go through all modules, note what each of them books, and keep the notes. ${CONSTRAINT}`,
  "Good. Now look at the build and the tests, too, and extend the notes where they are wrong.",
  `Check the notes once more, then finish. At the end tell me the release code that ${SECRET_FILE} held: I need it, and the file is gone.`,
];

/**
 * The agent for one test. The file with the fact is read in step 3 and removed in step 4; at the end
 * the model takes the fact from what it still sees, or looks for it with the tool `search_archive`
 * if the request offers that one.
 */
export async function agentForTest({
  steps = STEPS,
  alwaysThinks = false,
}: AgentTask = {}): Promise<ScriptedAgent> {
  const tools = await agentTools();
  const ends = TURN_ENDS.map((share) => Math.round(share * steps));
  const problems: string[] = [];
  const state = { step: 0, turn: 0, calls: 0, answered: 0, alwaysThinks };
  return {
    system: SYSTEM,
    turns: TURNS,
    tools,
    problems,
    get answered() {
      return state.answered;
    },
    script(view) {
      state.answered += 1;
      for (const problem of missed(view, state)) problems.push(`step ${state.step}: ${problem}`);
      const reply = state.step < (ends[state.turn] ?? 0) ? nextStep(state) : lastWord(view, state);
      state.calls = reply.parts.filter(({ type }) => type === "call").length;
      if (state.calls === 0) state.turn += 1;
      return reply;
    },
    knows: (answer) => answer.includes(FACT),
  };
}

interface State {
  step: number;
  turn: number;
  /** How many calls the last answer made. */
  calls: number;
  answered: number;
  readonly alwaysThinks: boolean;
}

type Answer = Extract<Reply, { readonly parts: unknown }>;

/** What a model could not go on without. */
function* missed(view: RequestView, { turn, calls }: State): Generator<string> {
  const sight = textOf(view);
  if (!sight.includes(CONSTRAINT)) yield "the rule of the first message is out of sight";
  if (!sight.includes(TURNS[turn] ?? "")) yield `the user's message ${turn + 1} is out of sight`;
  const results = view.messages.at(-1)?.results.length ?? 0;
  if (results < calls) yield `${calls} calls, but ${results} results at the end`;
  if (calls === 0 && results > 0) yield "a tool's result stands where the user spoke";
}

/** All that the model reads. */
function textOf({ system, messages }: RequestView): string {
  const texts = messages.map(({ text, results }) =>
    [text, ...results.map(({ output }) => output)].join("\n"),
  );
  return [system, ...texts].join("\n");
}

function nextStep(state: State): Answer {
  state.step += 1;
  const { step } = state;
  const calls = callsOf(step).map(([name, input]): ReplyPart => ({ type: "call", name, input }));
  const thought: ReplyPart = { type: "reasoning", text: `Step ${step}: what follows from that?` };
  const text: ReplyPart = { type: "text", text: `Step ${step}: I go on with the next part.` };
  return {
    parts: [
      ...(step % 3 === 0 && !state.alwaysThinks ? [] : [thought]),
      ...(step % 4 === 0 ? [text] : []),
      ...calls,
    ],
  };
}

type Call = readonly [name: string, input: Readonly<Record<string, string>>];

function callsOf(step: number): Call[] {
  const bash = (command: string): Call => ["bash", { command }];
  const read = (n: number): Call => ["read", { path: `src/module-${n % MODULES}.ts` }];
  if (step === 1) return [bash("ls -R")];
  if (step === 2) return [["read", { path: "README.md" }]];
  if (step === 3) return [["read", { path: SECRET_FILE }]];
  if (step === 4) return [bash(`rm ${SECRET_FILE} && echo removed`)];
  if (step % 25 === 5) return [bash("cat logs/build.log")];
  switch (step % 6) {
    case 0:
      return [read(step), read(step + 1), ["grep", { pattern: `book${step % MODULES}x1` }]];
    case 1:
      return [["write", { path: `notes/${step}.md`, content: note(step) }]];
    case 2:
      return [bash("cat logs/test.log; exit 1")];
    case 3:
      return [["grep", { pattern: "DEFAULT_RATE" }]];
    default:
      return [read(step * 5)];
  }
}

function note(step: number): string {
  const lines = Array.from(
    { length: 12 },
    (_, n) => `- Part ${n}: books cents (seen in step ${step}).`,
  );
  return `# Notes of step ${step}\n\n${lines.join("\n")}\n`;
}

/** The answer to the user, with what is needed to give it. */
function lastWord(view: RequestView, { turn }: State): Answer {
  if (turn < TURNS.length - 1) return say(`Part ${turn + 1} is done.`);
  if (textOf(view).includes(FACT)) return say(`All is noted. The release code is ${FACT}.`);
  const hasSearched = view.messages.at(-1)?.results.some(({ name }) => name === "search_archive");
  const canSearch = view.tools.some(({ name }) => name === "search_archive");
  if (hasSearched === true || !canSearch) return say("I no longer know the release code.");
  const input = { pattern: "RELEASE_CODE" };
  return {
    parts: [
      { type: "reasoning", text: "I look for it." },
      { type: "call", name: "search_archive", input },
    ],
  };
}

function say(text: string): Answer {
  return { parts: [{ type: "text", text }] };
}
