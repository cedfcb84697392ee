/** The content of the messages that stand beside a summary. */
export interface Standing {
  readonly names: ReadonlySet<string>;
  readonly commands: ReadonlySet<string>;
  /** Texts of people, whole messages. */
  readonly typed: ReadonlySet<string>;
  /** Words of all and outputs, in one text. */
  readonly text: string;
}

/** Whether a text that was taken from messages stands in those that are kept, clipped or not. */
export function isSaid(text: string, standing: Standing | undefined): boolean {
  const start = text.replace(/…$/, "");
  return start !== "" && standing?.text.includes(start) === true;
}
