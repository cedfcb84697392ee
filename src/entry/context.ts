/**
 * Parts of the root entry. A bundler takes a file as a whole, so `index.ts` passes these on by `*`:
 * whoever imports one name gets the code of its part and not that of the others.
 */
export { memoryArchive } from "../archive/memory.ts";
export { compact, createContext } from "../context/create-context.ts";
export { ContextError, isContextError } from "../core/error.ts";
