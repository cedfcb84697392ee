/**
 * T15 for what a tool throws: its message is what the model gets. The error itself where that fits;
 * else one that inherits everything from it but the message.
 */
export async function truncateError(
  error: unknown,
  truncate: (value: unknown) => unknown,
): Promise<unknown> {
  if (!(error instanceof Error)) return truncate(error);
  const { message, name } = error;
  const cut = await truncate(message);
  if (cut === message) return error;
  const own = { writable: true, configurable: true };
  // The name of a `DOMException`, by which an abort is known, cannot be inherited.
  return Object.create(error, {
    message: { ...own, value: cut },
    name: { ...own, value: name },
  }) as unknown;
}
