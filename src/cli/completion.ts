import { Argument, type Command } from "commander";
import type { Io, SetExitCode } from "./io.ts";

const SHELLS = ["bash", "zsh", "fish"] as const;
type Shell = (typeof SHELLS)[number];

/** A command as a shell completes it. */
export interface CompletedCommand {
  readonly name: string;
  readonly summary: string;
  readonly options: readonly CompletedOption[];
}

interface CompletedOption {
  /** With its dashes. */
  readonly flag: string;
  readonly description: string;
  readonly hasValue: boolean;
  /** The only values that it takes. */
  readonly choices: readonly string[];
}

/** `longhaul completion SHELL`: a script that the shell reads at its start. */
export function define(
  command: Command,
  io: Io,
  _: SetExitCode,
  allCommands: () => Promise<readonly Command[]>,
): void {
  command
    .description("Prints a script with which bash, zsh or fish complete our commands and options.")
    .addArgument(new Argument("<shell>", "for which shell").choices(SHELLS))
    .addHelpText("after", EXAMPLES)
    .action(async (shell: Shell) => {
      const commands = (await allCommands()).map(completed);
      io.stdout.write(SCRIPTS[shell](commands));
    });
}

const EXAMPLES = `
Examples:
  longhaul completion bash > ~/.local/share/bash-completion/completions/longhaul
  longhaul completion zsh > "\${fpath[1]}/_longhaul"
  longhaul completion fish > ~/.config/fish/completions/longhaul.fish`;

function completed(command: Command): CompletedCommand {
  const options = [...command.options].map((option): CompletedOption => ({
    flag: option.long ?? option.short ?? "",
    description: option.description,
    hasValue: option.required || option.optional,
    choices: option.argChoices ?? [],
  }));
  const help = { flag: "--help", description: "what there is", hasValue: false, choices: [] };
  return { name: command.name(), summary: command.summary(), options: [...options, help] };
}

const SCRIPTS: Readonly<Record<Shell, (commands: readonly CompletedCommand[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

/** Behind an option with a value come its values, else files; `run` completes another program. */
function bashScript(commands: readonly CompletedCommand[]): string {
  const cases = commands.map(({ name, options }) => {
    const flags = options.map(({ flag }) => flag).join(" ");
    const values = options
      .filter(({ choices }) => choices.length > 0)
      .map(({ flag, choices }) => `${name}:${flag}) words="${choices.join(" ")}" ;;`);
    return { flags: `    ${name}) flags="${flags}" ;;`, values: values.map((one) => `    ${one}`) };
  });
  return `# bash completion of longhaul
_longhaul() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" words="" flags=""
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${commands.map(({ name }) => name).join(" ")} --help --version" -- "$cur"))
    return
  fi
  case "\${COMP_WORDS[1]}:$prev" in
${cases.flatMap(({ values }) => values).join("\n")}
  esac
  if [ -n "$words" ]; then COMPREPLY=($(compgen -W "$words" -- "$cur")); return; fi
  case "\${COMP_WORDS[1]}" in
${cases.map(({ flags }) => flags).join("\n")}
  esac
  case "$cur" in
    -*) COMPREPLY=($(compgen -W "$flags" -- "$cur")) ;;
    *) COMPREPLY=($(compgen -f -- "$cur")) ;;
  esac
}
complete -o filenames -F _longhaul longhaul
`;
}

function zshScript(commands: readonly CompletedCommand[]): string {
  const names = commands.map(({ name, summary }) => `    ${zshWord(`${name}:${summary}`)}`);
  const cases = commands.map(({ name, options }) => {
    const specs = options.map(({ flag, description, hasValue, choices }) => {
      const said = `[${description.replace(/[[\]:]/g, "\\$&")}]`;
      const value = choices.length > 0 ? `:value:(${choices.join(" ")})` : ":value:_files";
      return `        ${zshWord(`${flag}${said}${hasValue ? value : ""}`)}`;
    });
    return `    ${name})\n      _arguments \\\n${specs.join(" \\\n")} \\\n        '*:file:_files' ;;`;
  });
  return `#compdef longhaul
_longhaul() {
  local -a commands
  commands=(
${names.join("\n")}
  )
  if (( CURRENT == 2 )); then _describe command commands; return; fi
  local name="$words[2]"
  shift words; (( CURRENT-- ))
  case "$name" in
${cases.join("\n")}
  esac
}
if [ "$funcstack[1]" = "_longhaul" ]; then _longhaul "$@"; else compdef _longhaul longhaul; fi
`;
}

function zshWord(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function fishScript(commands: readonly CompletedCommand[]): string {
  const lines = commands.flatMap(({ name, summary, options }) => [
    `complete -c longhaul -n __fish_use_subcommand -f -a ${name} -d ${fishWord(summary)}`,
    ...options.map(({ flag, description, hasValue, choices }) => {
      const how = flag.startsWith("--") ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`;
      const values = choices.length > 0 ? ` -x -a ${fishWord(choices.join(" "))}` : " -r";
      return `complete -c longhaul -n '__fish_seen_subcommand_from ${name}' ${how}${hasValue ? values : ""} -d ${fishWord(description)}`;
    }),
  ]);
  return `# fish completion of longhaul\n${lines.join("\n")}\n`;
}

function fishWord(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
