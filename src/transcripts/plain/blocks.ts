import { isRecord } from "../content.ts";

/** Whether a native message has a block in its `content` that passes the test. */
export function hasBlock(
  message: unknown,
  test: (block: Readonly<Record<string, unknown>>) => boolean,
): boolean {
  const content = isRecord(message) ? message["content"] : undefined;
  return Array.isArray(content) && content.some((block) => isRecord(block) && test(block));
}
