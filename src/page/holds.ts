import type { PageBody } from "./data.ts";

/** Whether the texts of a message hold a text, in any case; `wanted` is in lower case. */
export function holds(body: PageBody, wanted: string): boolean {
  return body.some(({ text, tool = "" }) => {
    return text.toLowerCase().includes(wanted) || tool.toLowerCase().includes(wanted);
  });
}
