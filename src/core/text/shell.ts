/** An absolute path of Windows says what shells are where it is from. */
export function isWindowsPath(path: string): boolean {
  return /^(?:[A-Za-z]:|\\)[\\/]/.test(path);
}

/** A word as it is typed in a shell, which takes it for one word, whatever it holds. */
export function shellWord(word: string, isWindows: boolean): string {
  if (!isWindows) return posixWord(word);
  // Only PowerShell and bash read `$` and a backtick in double quotes, and both take single ones.
  return /[$`]/.test(word) ? `'${word.replaceAll("'", "''")}'` : cmdWord(word);
}

export function posixWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/**
 * Both `cmd` and the program behind it take a doubled quote for one; backslashes are quoted for
 * Git's bash.
 */
export function cmdWord(word: string): string {
  if (/^[\w+:./-]+$/.test(word)) return word;
  // Backslashes before a quote would be taken for its escape.
  return `"${word.replaceAll(/(\\*)"/g, '$1$1""').replace(/\\+$/, "$&$&")}"`;
}
