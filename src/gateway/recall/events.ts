import { isWireObject, parseInput, type WireObject } from "../../dialects/wire.ts";

export interface StreamEvent {
  /** Its bytes, with the blank line behind it. */
  readonly raw: Buffer;
  /** Its data; absent where that is no JSON object. */
  readonly value?: WireObject;
}

/** Behind it the next event begins. */
const BLANK = /\r\n\r\n|\n\n|\r\r/;

/** The events of a stream, whole, however it comes apart on its way. */
export async function* eventsOf({ body }: Response): AsyncGenerator<StreamEvent> {
  // A unit for each byte: nothing is changed, and no line ends inside a character.
  let left = "";
  for await (const piece of body ?? []) {
    left += Buffer.from(piece).toString("latin1");
    for (let blank = BLANK.exec(left); blank !== null; blank = BLANK.exec(left)) {
      const end = blank.index + blank[0].length;
      yield eventOf(left.slice(0, end));
      left = left.slice(end);
    }
  }
  if (left !== "") yield eventOf(left);
}

function eventOf(bytes: string): StreamEvent {
  const raw = Buffer.from(bytes, "latin1");
  const lines = raw.toString().split(/\r\n|\n|\r/);
  const data = lines.filter((line) => line.startsWith("data:")).map((line) => line.slice(5));
  const value = data.length === 0 ? undefined : parseInput(data.join("\n").trim());
  return isWireObject(value) ? { raw, value } : { raw };
}

/** An event as it is written; its name is its type, where it has one. */
export function eventBytes(value: WireObject): Buffer {
  const { type } = value;
  const name = typeof type === "string" ? `event: ${type}\n` : "";
  return Buffer.from(`${name}data: ${JSON.stringify(value)}\n\n`);
}
