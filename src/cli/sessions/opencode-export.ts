/** What opencode keeps about a session, as far as we look into it. */
export interface OpencodeInfo {
  readonly id: string;
  readonly title?: string;
  readonly directory?: string;
  /** On the session of a sub-agent. */
  readonly parentID?: string;
  readonly time?: { readonly created?: number; readonly updated?: number };
}

/** A message as it stands in an export. */
export interface OpencodeMessage {
  readonly info: unknown;
  readonly parts: readonly unknown[];
}

/**
 * The bytes of `{info, messages: [{info, parts}]}`, the document that `opencode export` prints,
 * message by message, so that a long session is never held twice.
 */
export async function* exportDocument(
  info: unknown,
  messages: AsyncIterable<OpencodeMessage> | Iterable<OpencodeMessage>,
): AsyncGenerator<Uint8Array> {
  yield Buffer.from(`{"info":${JSON.stringify(info)},"messages":[`);
  let separator = "";
  for await (const message of messages) {
    yield Buffer.from(separator + JSON.stringify(message));
    separator = ",";
  }
  yield Buffer.from("]}");
}
