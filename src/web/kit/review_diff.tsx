/** Shows a diff of git file by file, with forms for comments on lines. */
import { Fragment } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { count } from "../../base/counts.ts";
import { Badge } from "./parts.tsx";
import {
  type Comment,
  type DiffFile,
  lineName,
  type Mark,
  placeOf,
  quotedOf,
} from "./review_lines.ts";

/** How many files, and lines of a file, are shown at first. */
const FIRST_FILES = 100;
const FIRST_LINES = 300;

export function ReviewDiff(
  { files, comments, onComment }: {
    files: readonly DiffFile[];
    comments: readonly Comment[];
    /** Receives the changed comments; null if nobody may comment. */
    onComment: ((comments: readonly Comment[]) => void) | null;
  },
) {
  const [most, setMost] = useState(FIRST_FILES);
  return (
    <>
      {files.slice(0, most).map((file, i) => (
        <ReviewedFile
          key={file.path}
          file={file}
          isFirst={i === 0}
          comments={comments.filter(({ path }) => path === file.path)}
          onAdd={onComment && ((one) => onComment([...comments, one]))}
          onRemove={onComment && ((one) => onComment(comments.filter((other) => other !== one)))}
        />
      ))}
      {files.length > most
        ? (
          <button type="button" class="more" onClick={() => setMost(most + FIRST_FILES)}>
            {count(files.length - most, "more file", "more files")}
          </button>
        )
        : null}
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
        <code>{path}</code> <span class="came">+{came}</span> <span class="went">-{went}</span>{" "}
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
                        path,
                        below: i,
                        words,
                        place: placeOf(lines, chosen),
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
                {count(lines.length - most, "more line", "more lines")}
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
