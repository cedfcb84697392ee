import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import type { Digest } from "../core/handle/index.ts";

/** SHA-256 in plain JavaScript: also where Node's built-in modules are not there. */
export const sha256Hex: Digest = (text) => bytesToHex(sha256(utf8ToBytes(text)));
