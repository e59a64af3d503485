/** Shows a review: the changes of a workflow, comments on lines, and the buttons for a decision. */
import { useState } from "preact/hooks";
import { ask, rights } from "../api.ts";
import { Badge, ConfirmButton, Empty, Panel, Problem, Time } from "../kit/parts.tsx";
import { ReviewDiff } from "../kit/review_diff.tsx";
import { type Comment, filesOf, messageOf } from "../kit/review_lines.ts";
import { act, go, useData } from "../store.ts";
import type { Workflow } from "../types.ts";

interface Diff {
  readonly review: {
    readonly summary: string;
    readonly diff: string;
    readonly conflicts: readonly string[];
  };
}

interface Draft {
  readonly comments: readonly Comment[];
  readonly words: string;
}

const NO_DRAFT: Draft = { comments: [], words: "" };

/** Keeps the draft of a review in the tab until it is sent. */
function useDraft(id: string): readonly [Draft, (draft: Draft) => void] {
  const key = `conclaude-review-${id}`;
  const stored = sessionStorage.getItem(key);
  const [draft, setDraft] = useState<Draft>(stored === null ? NO_DRAFT : JSON.parse(stored));
  const store = (draft: Draft) => {
    if (draft === NO_DRAFT) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, JSON.stringify(draft));
    setDraft(draft);
  };
  return [draft, store];
}

export function ReviewPanel({ workflow }: { workflow: Workflow }) {
  const { id, name, taskTitle, branch, baseBranch, decision, reason, updatedAtMs } = workflow;
  const [draft, setDraft] = useDraft(id);
  const message = messageOf(draft.comments, draft.words);
  const send = (path: string, done: string, body: unknown = {}) =>
    void act(done, () => ask("POST", `/workflows/${id}/${path}`, body)).then((isDone) => {
      if (!isDone) return;
      setDraft(NO_DRAFT);
      // The person may have left this review meanwhile.
      if (location.hash === `#/questions/${id}`) go("/questions");
    });
  const mayAct = rights() === "act" && decision === null;
  return (
    <Panel title={`Review of ${taskTitle ?? name}`}>
      <p class="faint">
        {branch} into {baseBranch} · <Time at={updatedAtMs} /> ·{" "}
        <a href={`#/work/${id}`}>its workflow</a>
      </p>
      {decision === null ? null : <p role="status">The daemon carries it out: {decision}.</p>}
      {reason === null ? null : <p class="problem">Not merged: {reason}</p>}
      <Changes
        key={updatedAtMs}
        of={`workflows/${id}`}
        comments={draft.comments}
        onComment={mayAct ? (comments) => setDraft({ ...draft, comments }) : null}
      />
      {!mayAct ? null : (
        <>
          <textarea
            aria-label="What is to change"
            placeholder="What is to change, beside the comments on lines"
            value={draft.words}
            onInput={({ currentTarget }) => setDraft({ ...draft, words: currentTarget.value })}
          />
          <p class="inline">
            <button
              type="button"
              onClick={() => send("approve-merge", "It is approved; the daemon merges it.")}
            >
              Approve
            </button>
            <button
              type="button"
              disabled={message === ""}
              onClick={() =>
                send("send-back", "It is sent back; its agent goes on.", { reason: message })}
            >
              Send back{draft.comments.length > 0 ? ` (${draft.comments.length})` : ""}
            </button>
            {message === "" ? <button type="button" disabled>Reject</button> : (
              <ConfirmButton
                label="Reject"
                sure="Reject it"
                onYes={() => send("reject-merge", "It is rejected.", { reason: message })}
              />
            )}
            <span class="faint">
              Sent back, the agent is told all comments as one message. To reject, say why.
            </span>
          </p>
        </>
      )}
    </Panel>
  );
}

/** Shows the changes of a working tree. @param of Its owner. @param onComment Null if nobody may comment. */
export function Changes(
  { of, comments, onComment }: {
    of: `workflows/${string}` | `agents/${string}`;
    comments: readonly Comment[];
    onComment: ((comments: readonly Comment[]) => void) | null;
  },
) {
  const { value, error } = useData<Diff>(`/${of}/diff`, []);
  if (error !== undefined) return <Problem error={error} />;
  if (value === undefined) return <p class="faint" role="status">Loading …</p>;
  const { summary, diff, conflicts } = value.review;
  return (
    <>
      <p>
        {summary} {conflicts.length === 0
          ? null
          : <Badge tone="bad">conflicts in {conflicts.join(", ")}</Badge>}
      </p>
      {diff === ""
        ? <Empty title="Nothing is changed." />
        : <ReviewDiff files={filesOf(diff)} comments={comments} onComment={onComment} />}
    </>
  );
}
