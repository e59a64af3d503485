/** What git says has changed, file by file, with room for comments on lines. */
import { Fragment } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { count } from "../../base/counts.ts";
import { Badge } from "./parts.tsx";

type Mark = " " | "+" | "-" | "@";

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

/** So many lines of a file are shown before a person asks for the rest. */
const FIRST_LINES = 300;

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

export function ReviewDiff(
  { files, comments, onComment }: {
    files: readonly DiffFile[];
    comments: readonly Comment[];
    /** Takes the new comments; null where nobody may comment. */
    onComment: ((comments: readonly Comment[]) => void) | null;
  },
) {
  return (
    <>
      {files.map((file, i) => (
        <ReviewedFile
          key={file.path}
          file={file}
          isFirst={i === 0}
          comments={comments.filter(({ path }) => path === file.path)}
          onAdd={onComment && ((one) => onComment([...comments, one]))}
          onRemove={onComment && ((one) => onComment(comments.filter((other) => other !== one)))}
        />
      ))}
    </>
  );
}

function ReviewedFile(
  { file: { path, lines }, isFirst, comments, onAdd, onRemove }: {
    file: DiffFile;
    isFirst: boolean;
    comments: readonly Comment[];
    onAdd: ((comment: Comment) => void) | null;
    onRemove: ((comment: Comment) => void) | null;
  },
) {
  const [isOpen, setOpen] = useState(isFirst);
  const [most, setMost] = useState(FIRST_LINES);
  const [chosen, choose] = useState<readonly [from: number, to: number] | null>(null);
  const [came, went] = ["+", "-"].map((mark) => lines.filter((line) => line.mark === mark).length);
  const isChosen = (i: number) => chosen !== null && i >= chosen[0] && i <= chosen[1];
  const pick = (i: number, isMore: boolean) =>
    choose(isMore && chosen !== null ? [Math.min(chosen[0], i), Math.max(chosen[1], i)] : [i, i]);
  return (
    <details
      class="file"
      open={isOpen}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary>
        <code>{path}</code> <span class="came">+{came}</span> <span class="went">-{went}</span>
        {comments.length > 0
          ? <Badge tone="accent">{count(comments.length, "comment")}</Badge>
          : null}
      </summary>
      {!isOpen ? null : (
        <div class="diff review">
          {lines.slice(0, most).map(({ mark, text, at }, i) => (
            <Fragment key={i}>
              <div class={`review-line ${CLASSES[mark]} ${isChosen(i) ? "chosen" : ""}`}>
                {mark === "@" || onAdd === null
                  ? <span class="line-number">{at || ""}</span>
                  : (
                    <button
                      type="button"
                      class="line-number"
                      aria-label={`Comment on ${lineName({ mark, at })} of ${path}`}
                      onClick={({ shiftKey }) => pick(i, shiftKey)}
                    >
                      {at}
                    </button>
                  )}
                <code>{mark === "@" ? text : `${mark} ${text}`}</code>
              </div>
              {comments.filter(({ below }) => below === i).map((one) => (
                <div class="comment" key={one.words}>
                  <p class="faint">{one.place}</p>
                  <p>{one.words}</p>
                  {onRemove === null ? null : (
                    <button
                      type="button"
                      onClick={() => onRemove(one)}
                    >
                      Remove
                    </button>
                  )}
                </div>
              ))}
              {chosen?.[1] === i && onAdd !== null
                ? (
                  <CommentForm
                    place={placeOf(lines, chosen)}
                    onMore={i + 1 < lines.length ? () => choose([chosen[0], i + 1]) : null}
                    onCancel={() => choose(null)}
                    onAdd={(words) => {
                      choose(null);
                      onAdd({
                        ...{ path, below: i, words, place: placeOf(lines, chosen) },
                        quoted: quotedOf(lines, chosen),
                      });
                    }}
                  />
                )
                : null}
            </Fragment>
          ))}
          {lines.length > most
            ? (
              <button type="button" class="more" onClick={() => setMost(most + FIRST_LINES)}>
                {lines.length - most} more lines
              </button>
            )
            : null}
        </div>
      )}
    </details>
  );
}

const CLASSES: Readonly<Record<Mark, string>> = {
  " ": "stayed",
  "+": "came",
  "-": "went",
  "@": "head",
};

function CommentForm(
  { place, onMore, onCancel, onAdd }: {
    place: string;
    onMore: (() => void) | null;
    onCancel: () => void;
    onAdd: (words: string) => void;
  },
) {
  const [words, setWords] = useState("");
  const area = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => area.current?.focus(), []);
  return (
    <form
      class="comment"
      onSubmit={(event) => {
        event.preventDefault();
        onAdd(words.trim());
      }}
    >
      <textarea
        aria-label={`Comment on ${place}`}
        placeholder={`Comment on ${place}`}
        value={words}
        ref={area}
        onInput={({ currentTarget }) => setWords(currentTarget.value)}
      />
      <p class="inline">
        <button type="submit" disabled={words.trim() === ""}>Add comment</button>
        {onMore === null ? null : <button type="button" onClick={onMore}>One line more</button>}
        <button type="button" onClick={onCancel}>Cancel</button>
      </p>
    </form>
  );
}

function lineName({ mark, at }: Pick<DiffLine, "mark" | "at">): string {
  return `${mark === "-" ? "removed line" : "line"} ${at}`;
}

function placeOf(lines: readonly DiffLine[], [from, to]: readonly [number, number]): string {
  const chosen = lines.slice(from, to + 1).filter(({ mark }) => mark !== "@");
  const [first, last] = [chosen[0]!, chosen.at(-1)!];
  if (first === last) return lineName(first);
  return first.mark === last.mark || (first.mark !== "-" && last.mark !== "-")
    ? `${lineName(first).replace("line", "lines")} to ${last.at}`
    : `${lineName(first)} to ${lineName(last)}`;
}

function quotedOf(lines: readonly DiffLine[], [from, to]: readonly [number, number]): string {
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
