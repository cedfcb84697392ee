import { describe, expect, it } from "vitest";
import { mediaEdits, mediaTest, unreachableLinks } from "../../../src/core/compact/index.ts";
import type { MediaTest } from "../../../src/core/compact/media.ts";
import { applyEdits, type FilePart, type Message } from "../../../src/core/message/index.ts";
import {
  assistant,
  call,
  calling,
  digest,
  result,
  results,
  system,
  user,
} from "../../build-messages.ts";

const linked = (url: string): FilePart => ({ type: "file", mediaType: "image/png", url });
const inline: FilePart = { type: "file", mediaType: "image/png", data: "AAAA" };
const context = { digest, now: 1 };

function shown(...files: FilePart[]): Message {
  return { role: "user", parts: [{ type: "text", text: "look" }, ...files] };
}

function read(...files: FilePart[]): Message[] {
  const one = {
    ...result("c", "screenshot", "taken"),
    output: [{ type: "text" as const, text: "taken" }, ...files],
  };
  return [calling(call("c", "screenshot")), results(one)];
}

const A = "https://a.example.com/1.png?sig=x";
const list = [system("rules"), shown(linked(A), inline), ...read(inline, linked(A)), user("go")];

function left(choice: Parameters<typeof mediaTest>[0]): string {
  return JSON.stringify(applyEdits(list, mediaEdits(list, mediaTest(choice), context)));
}

describe("media as text", () => {
  it("is none where nothing is said", () => {
    expect(mediaEdits(list, mediaTest({ unloadedLinks: [] }), context)).toEqual([]);
  });

  it.each([{ unloadedLinks: [A] }, { describeMedia: "links" as const }])(
    "is what is linked, in messages and in outputs; the bytes of messages stay: %j",
    (choice) => {
      expect(left(choice)).not.toContain(A);
      expect(left(choice)).toContain('"data":"AAAA"');
      expect(left(choice)).toContain("taken\\n[");
    },
  );

  it("is all, or what a function names, beside the links that failed", () => {
    expect(left({ describeMedia: "all" })).not.toMatch(/AAAA|example/);
    const describeMedia: MediaTest = (file, { role }) => role === "user" && file.data !== undefined;
    const own = left({ describeMedia });
    expect(own.split("AAAA")).toHaveLength(2);
    expect(own.split(A)).toHaveLength(3);
    // An output of which one file goes becomes text as a whole.
    expect(left({ describeMedia, unloadedLinks: [A] })).not.toMatch(/AAAA|example/);
  });

  it("leaves an output that only lost its files to be pruned later", () => {
    const edits = mediaEdits(list, mediaTest({ describeMedia: "all" }), context);
    expect(edits.map(({ reason }) => reason)).toEqual(["media", "media", "media"]);
    const [output] = applyEdits(list, edits)[3]?.parts ?? [];
    expect(output).not.toHaveProperty("time");
  });
});

describe("which links a refusal is about", () => {
  const B = "https://a.example.com/2.png?sig=y";
  const OTHER = "https://b.example.com/3.png";
  const NEW = "https://a.example.com/4.png";
  const talk = [
    shown(linked(A), linked(B)),
    shown(linked(OTHER)),
    assistant("seen"),
    shown(linked(NEW), inline),
  ];

  it("is all of them where none is named", () => {
    expect(unreachableLinks(talk, "Unable to download the file.")).toEqual([A, B, OTHER, NEW]);
  });

  it("is the named one where nothing was loaded before", () => {
    expect(unreachableLinks(talk, `Error while downloading ${NEW}.`)).toEqual([NEW]);
  });

  it("is every loaded one of a host whose link has expired", () => {
    expect(unreachableLinks(talk, `Error while downloading ${A}.`)).toEqual([A, B]);
  });

  it("is none where nothing is linked", () => {
    expect(unreachableLinks([shown(inline)], "Unable to download the file.")).toEqual([]);
  });
});
