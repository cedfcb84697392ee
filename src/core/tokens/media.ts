import { fileBytes, fileData } from "../message/file-data.ts";
import type { FilePart } from "../message/index.ts";

/** Width and height of an image, in pixels. */
export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** Pixels for one token: Anthropic's published rule, width × height / 750. */
const PIXELS_PER_TOKEN = 750;
/** Providers shrink an image before they count it: to 1,568 px on the long edge, … */
const MAX_EDGE = 1_568;
/** … and about 1,600 tokens. (OpenAI's tiles end at about 1,450.) */
const MAX_IMAGE_TOKENS = 1_600;
/** An image of unknown size: nearly the most one can cost. */
const IMAGE_TOKENS = 1_500;
/** A PDF page costs 1,500 to 3,000 tokens; without its page count, one page for each 100 kB. */
const PDF_PAGE_TOKENS = 2_000;
const PDF_PAGE_BYTES = 100_000;
const MAX_PDF_TOKENS = 50_000;
/** Any other file (audio, an archive): nobody publishes a rule. */
const FILE_TOKENS = 1_500;
const TEXT_BYTES_PER_TOKEN = 3.5;

const TEXT_TYPE = /^text\/|[/+](?:json|xml|yaml|javascript|typescript)$/;

/**
 * The cost of a file, in tokens: by its pixels, pages or bytes, never by its base64 characters. A
 * file without readable data costs the usual price of its kind (image 1,500, PDF 2,000).
 */
export function fileTokens(file: FilePart): number {
  const { mediaType } = file;
  if (mediaType.startsWith("image/")) return imageTokens(fileData(file));
  const bytes = fileBytes(file);
  if (mediaType === "application/pdf") {
    const pages = Math.max(1, Math.ceil(bytes / PDF_PAGE_BYTES));
    return Math.min(MAX_PDF_TOKENS, pages * PDF_PAGE_TOKENS);
  }
  if (bytes > 0 && TEXT_TYPE.test(mediaType)) return Math.ceil(bytes / TEXT_BYTES_PER_TOKEN);
  return FILE_TOKENS;
}

function imageTokens(data: string | undefined): number {
  const size = data === undefined ? undefined : imageSize(data);
  if (size === undefined) return IMAGE_TOKENS;
  const shrink = Math.min(1, MAX_EDGE / Math.max(size.width, size.height));
  const pixels = size.width * size.height * shrink * shrink;
  return Math.min(MAX_IMAGE_TOKENS, Math.ceil(pixels / PIXELS_PER_TOKEN));
}

/**
 * The size of a PNG, JPEG, GIF or WebP image, read from the head of its base64 `data`; undefined
 * when the format is another one or the head is damaged.
 */
export function imageSize(data: string): ImageSize | undefined {
  const size = pngSize(data) ?? gifSize(data) ?? webpSize(data) ?? jpegSize(data);
  return size !== undefined && size.width > 0 && size.height > 0 ? size : undefined;
}

function pngSize(data: string): ImageSize | undefined {
  if (!hasText(data, 1, "PNG") || !hasText(data, 12, "IHDR")) return undefined;
  return { width: bigEndian(data, 16, 4), height: bigEndian(data, 20, 4) };
}

function gifSize(data: string): ImageSize | undefined {
  if (!hasText(data, 0, "GIF8")) return undefined;
  return { width: littleEndian(data, 6, 2), height: littleEndian(data, 8, 2) };
}

function webpSize(data: string): ImageSize | undefined {
  if (!hasText(data, 0, "RIFF") || !hasText(data, 8, "WEBP")) return undefined;
  if (hasText(data, 12, "VP8X")) {
    return { width: littleEndian(data, 24, 3) + 1, height: littleEndian(data, 27, 3) + 1 };
  }
  if (hasText(data, 12, "VP8L")) {
    const bits = littleEndian(data, 21, 4);
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  if (!hasText(data, 12, "VP8 ")) return undefined;
  const [width, height] = [littleEndian(data, 26, 2), littleEndian(data, 28, 2)];
  return { width: width & 0x3fff, height: height & 0x3fff };
}

/** Walks the segments of a JPEG to the frame header; each segment names its own length. */
function jpegSize(data: string): ImageSize | undefined {
  if (bigEndian(data, 0, 2) !== 0xffd8) return undefined;
  const end = Math.floor((data.length * 3) / 4);
  let at = 2;
  while (at + 9 < end) {
    if (byteAt(data, at) !== 0xff) return undefined;
    const marker = byteAt(data, at + 1);
    if (marker === 0xff) {
      at += 1; // fill byte
    } else if (isFrameHeader(marker)) {
      return { width: bigEndian(data, at + 7, 2), height: bigEndian(data, at + 5, 2) };
    } else {
      at += 2 + Math.max(2, bigEndian(data, at + 2, 2));
    }
  }
  return undefined;
}

/** SOF0 … SOF15, without the three other markers in that range (DHT, JPG, DAC). */
function isFrameHeader(marker: number): boolean {
  return (marker & 0xf0) === 0xc0 && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

function hasText(data: string, at: number, text: string): boolean {
  return [...text].every((one, index) => byteAt(data, at + index) === one.charCodeAt(0));
}

function bigEndian(data: string, at: number, length: number): number {
  let value = 0;
  for (let i = 0; i < length; i++) value = value * 256 + byteAt(data, at + i);
  return value;
}

function littleEndian(data: string, at: number, length: number): number {
  let value = 0;
  for (let i = length - 1; i >= 0; i--) value = value * 256 + byteAt(data, at + i);
  return value;
}

/** One byte of what base64 `data` stands for, without decoding the rest; 0 past the end. */
function byteAt(data: string, index: number): number {
  const group = Math.floor(index / 3) * 4;
  const shift = 16 - (index % 3) * 8;
  let bits = 0;
  for (let i = 0; i < 4; i++) bits = (bits << 6) | sextet(data.charCodeAt(group + i));
  return (bits >>> shift) & 0xff;
}

function sextet(unit: number): number {
  if (unit >= 65 && unit <= 90) return unit - 65;
  if (unit >= 97 && unit <= 122) return unit - 71;
  if (unit >= 48 && unit <= 57) return unit + 4;
  if (unit === 43 || unit === 45) return 62;
  return unit === 47 || unit === 95 ? 63 : 0;
}
