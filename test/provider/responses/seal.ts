import { createHmac } from "node:crypto";

const MAC_BYTES = 12;
/** How the real encrypted content begins. */
const MARK = "gAAAAA";

/** Reasoning as only this server can read it: `encrypted_content`. */
export function seal(reasoning: string, secret: string): string {
  const content = Buffer.from(reasoning, "utf8");
  return MARK + Buffer.concat([macOf(content, secret), content]).toString("base64url");
}

/** The reasoning; `undefined` if this server did not seal it so. */
export function unseal(sealed: string, secret: string): string | undefined {
  if (!sealed.startsWith(MARK)) return undefined;
  const bytes = Buffer.from(sealed.slice(MARK.length), "base64url");
  const content = bytes.subarray(MAC_BYTES);
  return bytes.subarray(0, MAC_BYTES).equals(macOf(content, secret))
    ? content.toString("utf8")
    : undefined;
}

function macOf(content: Buffer, secret: string): Buffer {
  return createHmac("sha256", secret).update(content).digest().subarray(0, MAC_BYTES);
}
