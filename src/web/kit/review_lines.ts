/** What git says has changed, as lines of files, and the comments on them as one message. */

export type Mark = " " | "+" | "-" | "@";

export interface DiffLine {
  readonly mark: Mark;
  readonly text: string;
  /** Its number in the new file; of a line that went, in the old one; 0 of a headline. */
  readonly at: number;
}

export interface DiffFile {
  readonly path: string;
  readonly lines: readonly DiffLine[];
}

/** Some words on one or several lines of a file. */
export interface Comment {
  readonly path: string;
  /** Index of the last line that it is about. */
  readonly below: number;
  /** `line 3`, `lines 3 to 5`. */
  readonly place: string;
  readonly quoted: string;
  readonly words: string;
}

/** Reads a diff as git prints it. */
export function filesOf(diff: string): DiffFile[] {
  const files: { path: string; lines: DiffLine[] }[] = [];
  // How many lines of the old and the new file the part still has, and the number of the next line in each.
  let [oldLeft, newLeft, oldAt, newAt] = [0, 0, 0, 0];
  for (const line of diff.split("\n")) {
    const file = files.at(-1);
    if (oldLeft > 0 || newLeft > 0) {
      const mark = (line[0] ?? " ") as Mark | "\\";
      if (mark === "\\") continue;
      if (mark !== "+") oldLeft--;
      if (mark !== "-") newLeft--;
      file?.lines.push({ mark, text: line.slice(1), at: mark === "-" ? oldAt : newAt });
      if (mark !== "+") oldAt++;
      if (mark !== "-") newAt++;
      continue;
    }
    const part = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line);
    if (part !== null) {
      [oldAt, oldLeft, newAt, newLeft] = part.slice(1).map((n) => Number(n ?? 1)) as [
        number,
        number,
        number,
        number,
      ];
      file?.lines.push({ mark: "@", text: line, at: 0 });
    } else if (line.startsWith("diff --git ")) {
      files.push({ path: / "?b\/(.*?)"?$/.exec(line)?.[1] ?? line, lines: [] });
    } else if (file !== undefined && /^(new|deleted|rename|Binary)/.test(line)) {
      file.lines.push({ mark: "@", text: line, at: 0 });
    }
  }
  return files;
}

/** `line 3`, `removed line 3`. */
export function lineName({ mark, at }: Pick<DiffLine, "mark" | "at">): string {
  return `${mark === "-" ? "removed line" : "line"} ${at}`;
}

/** `lines 3 to 5` for the lines from one index to another. */
export function placeOf(lines: readonly DiffLine[], [from, to]: readonly [number, number]): string {
  const chosen = lines.slice(from, to + 1).filter(({ mark }) => mark !== "@");
  const [first, last] = [chosen[0]!, chosen.at(-1)!];
  if (first === last) return lineName(first);
  return first.mark === last.mark || (first.mark !== "-" && last.mark !== "-")
    ? `${lineName(first).replace("line", "lines")} to ${last.at}`
    : `${lineName(first)} to ${lineName(last)}`;
}

export function quotedOf(
  lines: readonly DiffLine[],
  [from, to]: readonly [number, number],
): string {
  return lines.slice(from, to + 1).map(({ mark, text }) =>
    mark === "@" ? `> ${text}` : `> ${mark}${text}`
  ).join("\n");
}

/** All comments and the words on the whole, as one message. */
export function messageOf(comments: readonly Comment[], words: string): string {
  const parts = comments.map(({ path, place, quoted, words }) =>
    `${path}, ${place}:\n${quoted}\n${words}`
  );
  return [...parts, words.trim()].filter((part) => part !== "").join("\n\n");
}
