/** Reads a diff of git into lines of files, and joins comments on them into one message. */

export type Mark = " " | "+" | "-" | "@";

export interface DiffLine {
  readonly mark: Mark;
  readonly text: string;
  /** The line's number in the new file; for a removed line in the old file; 0 for a headline. */
  readonly at: number;
}

export interface DiffFile {
  readonly path: string;
  readonly lines: readonly DiffLine[];
}

/** A comment on one or several lines of a file. */
export interface Comment {
  readonly path: string;
  /** The index of the comment's last line. */
  readonly below: number;
  /** `line 3`, `lines 3 to 5`. */
  readonly place: string;
  readonly quoted: string;
  readonly words: string;
}

/** Reads a diff as git prints it. */
export function filesOf(diff: string): DiffFile[] {
  const files: { path: string; lines: DiffLine[] }[] = [];
  // How many old and new lines are left in the current part, and the number of the next line in each file.
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

/** Names a line: `line 3`, `removed line 3`. */
export function lineName({ mark, at }: Pick<DiffLine, "mark" | "at">): string {
  return `${mark === "-" ? "removed line" : "line"} ${at}`;
}

/** Names the lines from one index to another: `lines 3 to 5`. */
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

/** Joins all comments and the words on the whole into one message. */
export function messageOf(comments: readonly Comment[], words: string): string {
  const parts = comments.map(({ path, place, quoted, words }) =>
    `${path}, ${place}:\n${quoted}\n${words}`
  );
  return [...parts, words.trim()].filter((part) => part !== "").join("\n\n");
}
