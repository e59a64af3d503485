/** Lines that are the same around a change and are shown with it. */
const CONTEXT_LINES = 2;

/**
 * What an edit would do, for people: changed lines begin with `+ ` or `- `, the lines around them with two spaces, and
 * `…` stands for what is left out.
 *
 * @returns An empty list when the texts are equal.
 */
export function diffLines(before: string, after: string): string[] {
  if (before === after) return [];
  const marked = markLines(splitLines(before), splitLines(after));
  const near = marked.map((_, index) =>
    marked.slice(Math.max(0, index - CONTEXT_LINES), index + CONTEXT_LINES + 1)
      .some((line) => !line.startsWith("  "))
  );
  return marked.flatMap((line, index) => {
    if (near[index]) return [line];
    return index === 0 || near[index - 1] ? ["…"] : [];
  });
}

function splitLines(text: string): string[] {
  const lines = text.split(/\r\n|\n|\r/);
  if (lines[lines.length - 1] === "") lines.pop();
  return lines;
}

/** All lines of both texts with their marks, by the longest common subsequence. */
function markLines(before: readonly string[], after: readonly string[]): string[] {
  const width = after.length + 1;
  const common = new Uint32Array((before.length + 1) * width);
  const commonAt = (row: number, column: number) => common[row * width + column] ?? 0;
  for (let row = before.length - 1; row >= 0; row--) {
    for (let column = after.length - 1; column >= 0; column--) {
      common[row * width + column] = before[row] === after[column]
        ? commonAt(row + 1, column + 1) + 1
        : Math.max(commonAt(row + 1, column), commonAt(row, column + 1));
    }
  }
  const marked: string[] = [];
  let row = 0;
  let column = 0;
  while (row < before.length || column < after.length) {
    if (row < before.length && before[row] === after[column]) {
      marked.push(`  ${before[row]}`);
      row++;
      column++;
    } else if (
      row < before.length &&
      (column === after.length || commonAt(row + 1, column) >= commonAt(row, column + 1))
    ) {
      marked.push(`- ${before[row++]}`);
    } else {
      marked.push(`+ ${after[column++]}`);
    }
  }
  return marked;
}
