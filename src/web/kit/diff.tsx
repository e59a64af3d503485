/** Shows a change of a text: removed lines in red, added ones in green, and some unchanged lines around them. */

type Mark = " " | "-" | "+";

/** Texts with more changed lines than this are not compared line by line. */
const MOST_LINES = 800;
const AROUND = 3;

export function Diff({ before, after }: { before: string; after: string }) {
  return (
    <pre class="diff">
      {diffOf(before, after).map(([mark, line], i) => (
        <div key={i} class={mark === "+" ? "came" : mark === "-" ? "went" : "stayed"}>
          {mark} {line}
        </div>
      ))}
    </pre>
  );
}

/** Merges the lines of both texts; of long unchanged runs it returns only the ends. */
export function diffOf(before: string, after: string): (readonly [Mark, string])[] {
  const [old, young] = [linesOf(before), linesOf(after)];
  let start = 0;
  while (start < old.length && start < young.length && old[start] === young[start]) start++;
  let end = 0;
  while (
    end < old.length - start && end < young.length - start &&
    old.at(-1 - end) === young.at(-1 - end)
  ) end++;
  const [went, came] = [old.slice(start, old.length - end), young.slice(start, young.length - end)];
  const middle = went.length * came.length > MOST_LINES ** 2
    ? [...went.map((line) => ["-", line] as const), ...came.map((line) => ["+", line] as const)]
    : diffLines(went, came);
  return shortened([
    ...old.slice(0, start).map((line) => [" ", line] as const),
    ...middle,
    ...old.slice(old.length - end).map((line) => [" ", line] as const),
  ]);
}

function linesOf(text: string): string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}

/** Compares lines by their longest common subsequence. */
function diffLines(old: readonly string[], young: readonly string[]): (readonly [Mark, string])[] {
  const width = young.length + 1;
  const common = new Uint16Array((old.length + 1) * width);
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = young.length - 1; j >= 0; j--) {
      common[i * width + j] = old[i] === young[j]
        ? common[(i + 1) * width + j + 1]! + 1
        : Math.max(common[(i + 1) * width + j]!, common[i * width + j + 1]!);
    }
  }
  const lines: (readonly [Mark, string])[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < young.length) {
    if (i < old.length && j < young.length && old[i] === young[j]) {
      lines.push([" ", old[i++]!]);
      j++;
    } else if (
      j === young.length ||
      (i < old.length && common[(i + 1) * width + j]! >= common[i * width + j + 1]!)
    ) lines.push(["-", old[i++]!]);
    else lines.push(["+", young[j++]!]);
  }
  return lines;
}

function shortened(lines: readonly (readonly [Mark, string])[]): (readonly [Mark, string])[] {
  const isNear = (at: number) =>
    lines.slice(Math.max(0, at - AROUND), at + AROUND + 1).some(([mark]) => mark !== " ");
  const shown: (readonly [Mark, string])[] = [];
  let left = 0;
  lines.forEach((line, at) => {
    if (isNear(at)) {
      if (left > 0) shown.push([" ", `… ${left} lines`]);
      left = 0;
      shown.push(line);
    } else left++;
  });
  if (left > 0 && shown.length > 0) shown.push([" ", `… ${left} lines`]);
  return shown;
}
