import { toJson } from "../../core/text/index.ts";
import { type TokenCounter, valueTokens } from "../../core/tokens/index.ts";
import type { ContextOptions } from "../options.ts";

/** What a request carries beside its messages. */
export interface SentBeside {
  /** The system prompt; counted, never changed. */
  readonly instructions?: string;
  /** The tool schemas; counted as JSON. */
  readonly tools?: unknown;
  /**
   * Whether the model binds its reasoning to what stands before it, where that differs from model to
   * model. @default what the context's `traits` say
   */
  readonly boundReasoning?: boolean;
}

/** What requests carry beside their messages, as far as anybody said. */
export interface Beside extends SentBeside {
  /** All of it together, in the counter's tokens. */
  readonly tokens: number;
  /** What requests carry from now on; what is not named stays as it was. */
  note(sent: SentBeside): void;
}

export function createBeside(options: ContextOptions, counter: TokenCounter): Beside {
  const { fixedTokens = 0 } = options;
  let { instructions, tools } = options;
  let boundReasoning: boolean | undefined;
  let instructionTokens = counter.count(instructions ?? "");
  let toolTokens = valueTokens(tools, counter);
  return {
    get instructions() {
      return instructions;
    },
    get tools() {
      return tools;
    },
    get boundReasoning() {
      return boundReasoning;
    },
    get tokens() {
      return fixedTokens + instructionTokens + toolTokens;
    },
    note(sent) {
      boundReasoning = sent.boundReasoning ?? boundReasoning;
      if (sent.instructions !== undefined && sent.instructions !== instructions) {
        ({ instructions } = sent);
        instructionTokens = counter.count(sent.instructions);
      }
      if (sent.tools !== undefined && !isSame(sent.tools, tools)) {
        ({ tools } = sent);
        toolTokens = valueTokens(tools, counter);
      }
    },
  };
}

/** SDKs make the list of tools anew for every request. */
function isSame(one: unknown, other: unknown): boolean {
  return one === other || (other !== undefined && toJson(one) === toJson(other));
}
