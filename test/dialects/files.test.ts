import { expect, test } from "vitest";
import { dataUrl, parseDataUrl } from "../../src/dialects/files.ts";

test("a base64 data URL is its media type and its content", () => {
  const file = { mediaType: "image/png", data: "iVBORw0KGgo=" };
  expect(parseDataUrl(dataUrl(file))).toEqual(file);
  expect(parseDataUrl("data:text/plain;charset=utf-8;base64,aGk=")).toEqual({
    mediaType: "text/plain",
    data: "aGk=",
  });
  expect(parseDataUrl("data:;base64,aGk=")).toEqual({ mediaType: "text/plain", data: "aGk=" });
});

test.each(["https://example.com/a.png", "data:text/plain,hi", "see data:a/b;base64,aGk=", ""])(
  "%j is none",
  (text) => {
    expect(parseDataUrl(text)).toBeUndefined();
  },
);
