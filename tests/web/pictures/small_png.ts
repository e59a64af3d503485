/** Makes a PNG small: a palette in place of three bytes for each pixel. A page has few colours. */
import { crc32, deflateSync, inflateSync } from "node:zlib";

const SIGNATURE = Uint8Array.of(137, 80, 78, 71, 13, 10, 26, 10);
/** Letters have many shades at their edges; so many are told apart for each of red, green and blue. */
const SHADES = 16;
const MAX_COLOURS = 256;
/** So many of the most common colours stay as they are. */
const MOST_KEPT = 96;

/** @param png Of 8 bits for each of red, green, blue, and perhaps alpha, as browsers write it. */
export function smallPng(png: Uint8Array): Uint8Array {
  const { width, height, bytesPerPixel, rows } = pixelsOf(png);
  const counts = new Map<number, number>();
  const colours = new Uint32Array(width * height);
  for (let i = 0; i < colours.length; i++) {
    const at = i * bytesPerPixel;
    const colour = rows[at]! << 16 | rows[at + 1]! << 8 | rows[at + 2]!;
    colours[i] = colour;
    counts.set(colour, (counts.get(colour) ?? 0) + 1);
  }
  // The colours of areas stay; those of the edges of letters are rounded.
  const common = [...counts].toSorted(([, a], [, b]) => b - a).map(([colour]) => colour);
  const palette = new Map<number, number>();
  const entryOf = (colour: number) => {
    const known = palette.get(colour);
    if (known !== undefined) return known;
    if (palette.size === MAX_COLOURS) return null;
    palette.set(colour, palette.size);
    return palette.size - 1;
  };
  for (const colour of common.slice(0, MOST_KEPT)) entryOf(colour);
  const entries = new Map<number, number>();
  for (const colour of common) {
    const entry = palette.get(colour) ?? entryOf(rounded(colour)) ?? nearest(palette, colour);
    entries.set(colour, entry);
  }
  const lines = new Uint8Array(height * (width + 1));
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      lines[y * (width + 1) + 1 + x] = entries.get(colours[y * width + x]!)!;
    }
  }
  const head = new DataView(new ArrayBuffer(13));
  head.setUint32(0, width);
  head.setUint32(4, height);
  head.setUint8(8, 8);
  head.setUint8(9, 3);
  const colourBytes = [...palette.keys()].flatMap((one) => [one >> 16, one >> 8 & 255, one & 255]);
  return joined([
    SIGNATURE,
    chunk("IHDR", new Uint8Array(head.buffer)),
    chunk("PLTE", Uint8Array.from(colourBytes)),
    chunk("IDAT", deflateSync(lines, { level: 9, memLevel: 9 })),
    chunk("IEND", new Uint8Array()),
  ]);
}

function rounded(colour: number): number {
  const step = 255 / (SHADES - 1);
  const one = (shift: number) => Math.round(Math.round((colour >> shift & 255) / step) * step);
  return one(16) << 16 | one(8) << 8 | one(0);
}

function nearest(palette: ReadonlyMap<number, number>, colour: number): number {
  const distance = (other: number) =>
    [16, 8, 0].reduce(
      (sum, shift) => sum + ((colour >> shift & 255) - (other >> shift & 255)) ** 2,
      0,
    );
  let best = 0;
  let least = Infinity;
  for (const [other, entry] of palette) {
    const far = distance(other);
    if (far < least) [least, best] = [far, entry];
  }
  return best;
}

/** Reads a PNG's pixels, without the bytes of the filters. */
function pixelsOf(png: Uint8Array) {
  const view = new DataView(png.buffer, png.byteOffset, png.byteLength);
  const [width, height] = [view.getUint32(16), view.getUint32(20)];
  const bytesPerPixel = png[25] === 6 ? 4 : 3;
  const parts: Uint8Array[] = [];
  for (let at = 8; at < png.length;) {
    const length = view.getUint32(at);
    const name = String.fromCharCode(...png.subarray(at + 4, at + 8));
    if (name === "IDAT") parts.push(png.subarray(at + 8, at + 8 + length));
    at += 12 + length;
  }
  const packed = new Uint8Array(inflateSync(joined(parts)));
  const stride = width * bytesPerPixel;
  const rows = new Uint8Array(height * stride);
  for (let y = 0; y < height; y++) {
    const filter = packed[y * (stride + 1)]!;
    for (let x = 0; x < stride; x++) {
      const left = x < bytesPerPixel ? 0 : rows[y * stride + x - bytesPerPixel]!;
      const up = y === 0 ? 0 : rows[(y - 1) * stride + x]!;
      const corner = x < bytesPerPixel || y === 0 ? 0 : rows[(y - 1) * stride + x - bytesPerPixel]!;
      const guess = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter]!;
      rows[y * stride + x] = packed[y * (stride + 1) + 1 + x]! + guess;
    }
  }
  return { width, height, bytesPerPixel, rows };
}

function paeth(left: number, up: number, corner: number): number {
  const guess = left + up - corner;
  const [a, b, c] = [left, up, corner].map((value) => Math.abs(guess - value));
  return a! <= b! && a! <= c! ? left : b! <= c! ? up : corner;
}

function chunk(name: string, data: Uint8Array): Uint8Array {
  const body = joined([new TextEncoder().encode(name), data]);
  const [length, sum] = [data.length, crc32(body)].map((value) => {
    const bytes = new Uint8Array(4);
    new DataView(bytes.buffer).setUint32(0, value);
    return bytes;
  });
  return joined([length!, body, sum!]);
}

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
