/** What `spawn` and `execFile` take. */
export interface ProgramCall {
  readonly file: string;
  readonly args: readonly string[];
  readonly options: { readonly shell?: true };
}

/**
 * How a program is started that npm may have installed. On Windows that is a `.cmd` beside it, which
 * only a shell finds and runs; everywhere else no shell comes between.
 */
export function programCall(
  program: string,
  args: readonly string[],
  platform: NodeJS.Platform = process.platform,
): ProgramCall {
  if (platform !== "win32") return { file: program, args, options: {} };
  return { file: [program, ...args].map(word).join(" "), args: [], options: { shell: true } };
}

/** One word for `cmd`, and for the program behind it: both take a doubled quote for one. */
function word(text: string): string {
  if (/^[\w@+=:./\\-]+$/.test(text)) return text;
  const open = text.replaceAll('"', '""').replace(/\\+$/, (ends) => ends + ends);
  return `"${open}"`;
}
