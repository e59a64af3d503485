/** The screen "Questions and reviews": what waits for a person. */
import { useState } from "preact/hooks";
import { ask, rights } from "../api.ts";
import { isOfSession } from "../../claude/session_changes.ts";
import { short } from "../format.ts";
import { Badge, Empty, More, Panel, Rows, Screen, Time } from "../kit/parts.tsx";
import { useWhole } from "../list.ts";
import { hasNotices, switchNotices } from "../notices.ts";
import { act, useData } from "../store.ts";
import type { Agent, Question, Workflow } from "../types.ts";
import { Changes, ReviewPanel } from "./review_panel.tsx";

/** @param id The workflow whose review is open. @param tree The agent whose working tree is open. */
export function QuestionsScreen(
  { id, tree }: { id: string | undefined; tree: string | undefined },
) {
  const list = useWhole<Question>("/questions", { name: "questions", parts: ["work"] });
  const reviews = useReviews();
  const open = reviews?.find((one) => one.id === id);
  return (
    <Screen
      title="Questions and reviews"
      beside={
        <label class="inline">
          <input
            type="checkbox"
            checked={hasNotices.value}
            onChange={({ currentTarget }) => void switchNotices(currentTarget.checked)}
          />
          Notify me
        </label>
      }
    >
      {open === undefined ? null : <ReviewPanel key={open.id} workflow={open} />}
      {tree === undefined ? null : <TreePanel key={tree} id={tree} />}
      {id !== undefined && tree === undefined && open === undefined && reviews !== undefined
        ? <Empty title="This review does not wait any more." />
        : null}
      {reviews === undefined || reviews.length === 0 ? null : (
        <Panel title="Reviews">
          <ul class="rows">
            {reviews.map((one) => <ReviewRow key={one.id} workflow={one} isOpen={one.id === id} />)}
          </ul>
        </Panel>
      )}
      <Rows
        rows={list.rows}
        error={list.error}
        empty={
          <Empty title="Nobody asks anything.">
            <p>Questions of agents, and reviews that wait for you, appear here.</p>
          </Empty>
        }
      >
        {(question) => <QuestionCard key={question.id} question={question} />}
      </Rows>
      <More list={list} rest="conclaude question list" />
      <Trees open={tree} />
    </Screen>
  );
}

/** Shows finished work that waits for a review. */
export function ReviewRow({ workflow, isOpen }: { workflow: Workflow; isOpen: boolean }) {
  const { id, name, taskTitle, branch, decision, reason, updatedAtMs } = workflow;
  return (
    <li>
      <a class="row" href={`#/questions/${id}`} aria-current={isOpen ? "true" : undefined}>
        <Badge tone={reason === null ? "accent" : "bad"}>
          {decision ?? (reason === null ? "review" : "not merged")}
        </Badge>
        <span class="grow">
          {taskTitle ?? name} <span class="faint">{name} · {branch}</span>
        </span>
        <Time at={updatedAtMs} />
      </a>
    </li>
  );
}

/** Lists sub-agents with their own working tree. */
function Trees({ open }: { open: string | undefined }) {
  const list = useWhole<Agent>("/agents?kind=subagent&hasTree=true", {
    name: "agents",
    parts: ["work"],
  });
  if (list.rows === undefined || list.rows.length === 0) return null;
  return (
    <Panel title="Working trees of sub-agents">
      <Rows rows={list.rows} empty={null}>
        {({ id, name, status, worktree, createdAtMs }) => (
          <li key={id}>
            <a
              class="row"
              href={`#/questions/tree/${id}`}
              aria-current={id === open ? "true" : undefined}
            >
              <Badge tone={status === "running" ? "good" : "plain"}>{status}</Badge>
              <span class="grow">
                {name} <span class="faint">{worktree}</span>
              </span>
              <Time at={createdAtMs} />
            </a>
          </li>
        )}
      </Rows>
      <More list={list} rest="conclaude agent list --all --kind subagent" />
    </Panel>
  );
}

/** Shows the changes in a sub-agent's working tree. */
function TreePanel({ id }: { id: string }) {
  const { value } = useData<{ agent: Agent }>(`/agents/${id}`, ["work"]);
  const agent = value?.agent;
  return (
    <Panel title={`Working tree of ${agent?.name ?? "a sub-agent"}`}>
      <p class="faint">
        {agent?.worktree}
        {agent?.sessionId == null ? null : (
          <>
            {" · "}
            <a href={`#/session/${agent.sessionId}`}>its session</a>
          </>
        )}
      </p>
      <Changes key={agent?.status} of={`agents/${id}`} comments={[]} onComment={null} />
    </Panel>
  );
}

/** Loads the workflows that wait for a review; undefined until they are loaded. */
export function useReviews(): readonly Workflow[] | undefined {
  const path = "/workflows?status=pending_merge&limit=1000";
  return useData<{ workflows: Workflow[] }>(path, ["work"]).value?.workflows;
}

interface Answered {
  readonly deliveryError?: string;
}

function QuestionCard({ question }: { question: Question }) {
  const { id, text, type, options, taskTitle, wanted, createdAtMs, sessionId } = question;
  const [answer, setAnswer] = useState("");
  const send = (words: string) =>
    void act("It is answered.", async () => {
      const path = `/questions/${id}/answer`;
      const { deliveryError } = await ask<Answered>("POST", path, { answer: words });
      return deliveryError && `The answer is recorded, and not delivered: ${deliveryError}`;
    });
  return (
    <li class="card">
      <p>
        <Badge tone="accent">{type}</Badge> {taskTitle}{" "}
        <span class="faint">
          <Time at={createdAtMs} />
          {sessionId === null ? null : (
            <>
              {" · "}
              <a href={`#/session/${sessionId}`}>its session</a>
            </>
          )}
        </span>
      </p>
      <pre class="words">{short(wanted === null ? text : `${text}\n${wanted}`)}</pre>
      {isOfSession(question)
        ? <p class="faint">Claude Code asks it itself: answer it where the session runs.</p>
        : rights() !== "act"
        ? null
        : (
          <form
            class="inline"
            onSubmit={(event) => {
              event.preventDefault();
              send(answer);
            }}
          >
            {options.map((option) => (
              <button
                key={option}
                type="button"
                onClick={() => send(option)}
              >
                {option}
              </button>
            ))}
            <input
              aria-label="Answer"
              placeholder="Answer"
              value={answer}
              onInput={({ currentTarget }) => setAnswer(currentTarget.value)}
            />
            <button type="submit" disabled={answer.trim() === ""}>Answer</button>
          </form>
        )}
    </li>
  );
}
