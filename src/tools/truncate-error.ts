/**
 * T15 for what a tool throws: its message is what the model gets, or its `content` (`ToolError` of
 * Anthropic's SDK). The error itself where that fits; else one that inherits everything else.
 */
export async function truncateError(
  error: unknown,
  truncate: (value: unknown) => unknown,
): Promise<unknown> {
  if (!(error instanceof Error)) return truncate(error);
  const { message, name, content } = error as Error & { readonly content?: unknown };
  const cut = await truncate(message);
  const shown = content === message ? cut : await truncate(content);
  if (cut === message && shown === content) return error;
  const own = { writable: true, configurable: true };
  // The name of a `DOMException`, by which an abort is known, cannot be inherited.
  return Object.create(error, {
    message: { ...own, value: cut },
    name: { ...own, value: name },
    ...(content !== undefined && { content: { ...own, value: shown } }),
  }) as unknown;
}
