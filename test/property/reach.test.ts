import * as fc from "fast-check";
import { expect, it } from "vitest";
import { memoryArchive } from "../../src/archive/index.ts";
import { pruneToolOutputs } from "../../src/context/prune-tool-outputs.ts";
import { mediaEdits } from "../../src/core/compact/media.ts";
import { applyEdits } from "../../src/core/message/edit.ts";
import type { Message, Original, OutputPart, TextPart } from "../../src/core/message/index.ts";
import { originalsOf } from "../../src/core/plan/index.ts";
import {
  assistant,
  call,
  calling,
  digest,
  quarter,
  results,
  user,
  words,
} from "../build-messages.ts";
import { filePart, visibleText } from "./arbitraries.ts";
import { createReach, unreached } from "./reach.ts";

/** Texts, files and blocks nobody knows, in any order: each text is one of its own, at least two of them. */
const output: fc.Arbitrary<readonly OutputPart[]> = fc
  .array(fc.oneof(visibleText, filePart), { minLength: 3, maxLength: 6 })
  .map((pieces) =>
    pieces.map((piece, at): OutputPart => {
      if (typeof piece !== "string") return piece;
      return { type: "text", text: `#${at} ${piece}${words(80)}` };
    }),
  )
  .filter((pieces) => textsOf(pieces).length > 1 && textsOf(pieces).length < pieces.length);

function textsOf(pieces: readonly OutputPart[]): TextPart[] {
  return pieces.filter((piece) => piece.type === "text");
}

/** Its files described, then all of it pruned: what stands before and after that, and what left. */
function editedTwice(pieces: readonly OutputPart[]): {
  readonly described: readonly Message[];
  readonly pruned: readonly Message[];
  readonly originals: readonly Original[];
} {
  const result = {
    type: "tool-result",
    toolCallId: "a",
    toolName: "shot",
    output: pieces,
  } as const;
  const talk = [user("look"), assistant("yes"), user("more"), assistant("yes"), user("go on")];
  const list = [user("do it"), calling(call("a", "shot")), results(result), ...talk];
  const edits = mediaEdits(list, () => true, { digest, now: 0 });
  const described = applyEdits(list, edits);
  const usual = { window: 4_000, minimumSaving: 1, counter: quarter };
  const { messages, originals } = pruneToolOutputs(described, usual);
  const plan = { version: 1, action: "prune", length: list.length, edits } as const;
  return {
    described,
    pruned: messages,
    originals: [...originals, ...originalsOf(list, plan, digest)],
  };
}

async function lostBetween(
  { described, pruned, originals }: ReturnType<typeof editedTwice>,
  kept: (original: Original) => string,
): Promise<readonly string[]> {
  const archive = memoryArchive();
  const contents = new Map(
    originals.map((original) => [original.handle as string, kept(original)]),
  );
  const get = (handle: string): Promise<string> => Promise.resolve(contents.get(handle) ?? "[]");
  const reach = createReach({ ...archive, get });
  return unreached(await reach(described), await reach(pruned));
}

it("an output edited twice leads to its whole original, and a text that is not there is missed", async () => {
  await fc.assert(
    fc.asyncProperty(output, fc.nat(), async (pieces, at) => {
      const edited = editedTwice(pieces);
      expect(JSON.stringify(edited.pruned)).not.toContain("#");
      expect(await lostBetween(edited, ({ content }) => content)).toEqual([]);
      const texts = textsOf(pieces);
      const { text } = texts[at % texts.length] as TextPart;
      const gone = JSON.stringify(text).slice(1, -1);
      const lost = await lostBetween(edited, ({ content }) => content.replace(gone, () => "gone"));
      expect(lost.join()).toContain(text);
    }),
  );
});
