/** The screen "Sessions": all sessions, the newest first. */
import { useState } from "preact/hooks";
import { folderName } from "../format.ts";
import { Badge, Empty, More, Rows, Screen, Time } from "../kit/parts.tsx";
import { useList } from "../list.ts";
import type { Session } from "../types.ts";

export function SessionsScreen() {
  const [words, setWords] = useState("");
  const list = useList<Session>("/sessions", {
    name: "sessions",
    parts: ["sessions"],
    keyOf: ({ sessionId }) => sessionId,
    atOf: ({ updatedAtMs }) => updatedAtMs,
  });
  const sessions = list.rows?.filter(({ title, projectDir, branch }) =>
    `${title} ${projectDir} ${branch}`.toLowerCase().includes(words.toLowerCase())
  );
  return (
    <Screen
      title="Sessions"
      beside={
        <input
          type="search"
          data-find
          placeholder="Filter by title, project, branch"
          aria-label="Filter sessions"
          value={words}
          onInput={({ currentTarget }) => setWords(currentTarget.value)}
        />
      }
    >
      <div class="panel">
        <Rows
          rows={sessions}
          error={list.error}
          empty={
            <Empty title={words === "" ? "No sessions yet." : "No session matches."}>
              {words === ""
                ? (
                  <p>
                    Hooks write them: <code>conclaude install-hooks</code>
                  </p>
                )
                : null}
            </Empty>
          }
        >
          {({ sessionId, status, title, projectDir, branch, updatedAtMs }) => (
            <li key={sessionId}>
              <a class="row" href={`#/session/${sessionId}`}>
                <Badge tone={status === "active" ? "good" : "plain"}>{status}</Badge>
                <span class="grow">{title ?? "No prompt"}</span>
                <span class="faint narrow-hides">
                  {folderName(projectDir)}
                  {branch ? ` · ${branch}` : ""}
                </span>
                <Time at={updatedAtMs} />
              </a>
            </li>
          )}
        </Rows>
      </div>
      <More list={list} rest="conclaude session list" />
    </Screen>
  );
}
