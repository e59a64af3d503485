/** The rows on a leaf of a table by their numbers, and which of them can be where they are. */
import { LEAF_HEAD, PAGE_KIND, varint, viewOf } from "./page_format.ts";

/** What a leaf holds, in its order. */
export interface LeafCells {
  /** Where on the page each row begins. */
  readonly places: readonly number[];
  /** Their numbers. */
  readonly rows: readonly number[];
}

/** The rows that can be found on a page; none when it is no leaf of a table. */
export function cellsOf(page: Uint8Array, head: number): LeafCells {
  const places: number[] = [];
  const rows: number[] = [];
  if (page[head] === PAGE_KIND.tableLeaf) {
    const view = viewOf(page);
    const begin = head + LEAF_HEAD;
    const count = Math.min(view.getUint16(head + 3), (page.length - begin) / 2);
    for (let cell = 0; cell < Math.floor(count); cell++) {
      const at = view.getUint16(begin + 2 * cell);
      if (at < begin || at >= page.length) continue;
      const [row] = varint(page, varint(page, at)[1]);
      if (!Number.isSafeInteger(row)) continue;
      places.push(at);
      rows.push(row);
    }
  }
  return { places, rows };
}

/** The page with some of its rows only. */
export function withCells(page: Uint8Array, head: number, places: readonly number[]): Uint8Array {
  const changed = page.slice();
  const view = viewOf(changed);
  view.setUint16(head + 3, places.length);
  places.forEach((place, cell) => view.setUint16(head + LEAF_HEAD + 2 * cell, place));
  return changed;
}

/**
 * The most numbers that rise in a list, as a sign for each whether it is one of them: a number that flipped bits have
 * changed stands between its neighbours and is left out, and they stay.
 */
export function longestRise(numbers: readonly number[]): readonly boolean[] {
  if (numbers.every((each, n) => n === 0 || numbers[n - 1]! < each)) return numbers.map(() => true);
  const ends: number[] = [];
  const before = new Int32Array(numbers.length);
  numbers.forEach((number, n) => {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (numbers[ends[middle]!]! < number) low = middle + 1;
      else high = middle;
    }
    before[n] = low === 0 ? -1 : ends[low - 1]!;
    ends[low] = n;
  });
  const isKept = numbers.map(() => false);
  for (let n = ends.at(-1) ?? -1; n >= 0; n = before[n]!) isKept[n] = true;
  return isKept;
}
