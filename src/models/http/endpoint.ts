import { ContextError } from "../../core/error.ts";

/**
 * The address of a path below a base URL; a base URL that ends with the path already is taken as it
 * is. Throws `ContextError` code `invalid-options` for what is no HTTP address.
 */
export function endpoint(baseURL: string, path: string): URL {
  const url = URL.canParse(baseURL) ? new URL(baseURL) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    // It may be a key in the wrong place, so it is not repeated here.
    throw invalid("is no address; give one such as https://api.example.com/v1");
  }
  if (url.username !== "" || url.password !== "") {
    throw invalid("holds a user name or a password; put it into the headers");
  }
  const base = url.pathname.replace(/\/+$/, "");
  url.pathname = base.endsWith(path) ? base : base + path;
  url.hash = "";
  return url;
}

function invalid(problem: string): ContextError {
  return new ContextError("invalid-options", `The base URL of the summarizer ${problem}.`);
}
