/** Questions: what agents and sessions want to know from a person. */
import { useState } from "preact/hooks";
import { ask, rights } from "../api.ts";
import { short } from "../format.ts";
import { Badge, Empty, Rows, Screen, Time } from "../kit/parts.tsx";
import { act, useData } from "../store.ts";
import type { Question } from "../types.ts";

export function QuestionsScreen() {
  const { value, error } = useData<{ questions: Question[] }>("/questions", ["work"]);
  return (
    <Screen title="Questions">
      <Rows
        rows={value?.questions}
        error={error}
        empty={
          <Empty title="Nobody asks anything.">
            <p>Questions of agents, and reviews that wait for you, appear here.</p>
          </Empty>
        }
      >
        {(question) => <Asked key={question.id} question={question} />}
      </Rows>
    </Screen>
  );
}

function Asked({ question }: { question: Question }) {
  const { id, text, type, options, createdAtMs, sessionId } = question;
  const [answer, setAnswer] = useState("");
  const send = (words: string) =>
    void act("It is answered.", () => ask("POST", `/questions/${id}/answer`, { answer: words }));
  return (
    <li class="card">
      <p>
        <Badge tone="accent">{type}</Badge> <Time at={createdAtMs} />
        {sessionId === null ? null : (
          <>
            · <a href={`#/session/${sessionId}`}>its session</a>
          </>
        )}
      </p>
      <pre class="words">{short(text)}</pre>
      {rights() !== "act" ? null : (
        <form
          class="inline"
          onSubmit={(event) => {
            event.preventDefault();
            send(answer);
          }}
        >
          {options.map((option) => (
            <button key={option} type="button" onClick={() => send(option)}>{option}</button>
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
