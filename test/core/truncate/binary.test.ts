import { describe, expect, it } from "vitest";
import { binaryKind } from "../../../src/core/truncate/binary.ts";

describe("binaryKind", () => {
  const noise = Array.from({ length: 500 }, (_, n) => String.fromCharCode((n * 37) % 32)).join("");

  it.each([
    ["\u0089PNG\r\n\u001a\n\0\0\0\rIHDR\0\0\u0001\0\0\0\u0001\0\b\u0006", "binary data"],
    ["\u007fELF\u0002\u0001\u0001\0\0\0\0\0\0\0\0\0\u0003\0>\0\u0001", "binary data"],
    [noise, "binary data"],
    [[..."plain words in UTF-16, which has a NUL after every letter"].join("\0"), "binary data"],
    // Russian in Windows-1251.
    ["\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd: \ufffd\ufffd ".repeat(9), "text that is not in UTF-8"],
  ])("tells what %j is", (text, kind) => expect(binaryKind(text, "head")).toBe(kind));

  it.each([
    "just text\n".repeat(30),
    "src/a.ts\0src/b.ts\0src/long-name.ts\0".repeat(9),
    "\u001b[32mgreen\u001b[0m\r\n".repeat(30),
    "10%\r20%\r".repeat(40),
    "PKZIP is a program, %PDF- a signature",
    "caf\ufffd au lait, s'il vous pla\ufffdt, et deux croissants chauds pour la table trois ".repeat(
      3,
    ),
    "Gr\ufffd\ufffde aus K\ufffdln, \ufffdberall h\ufffdtte ".repeat(9),
    // Three unknown bytes begin a picture, and many a line in another encoding.
    "\ufffd\ufffd\ufffd was the first word, and the rest of the line is plain text",
    "some ftyp box \ufffd",
    `${"about the tar format, ".repeat(13)}ustar \ufffd`,
    "",
    "\0",
  ])("takes text for text (%j)", (text) => expect(binaryKind(text, "head")).toBeUndefined());
});
