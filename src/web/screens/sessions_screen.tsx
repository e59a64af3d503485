/** Sessions: all of them, the newest first. */
import { useState } from "preact/hooks";
import { withQuery } from "../api.ts";
import { folderName } from "../format.ts";
import { Badge, Empty, Rows, Screen, Time } from "../kit/parts.tsx";
import { useData } from "../store.ts";
import type { Session } from "../types.ts";

const PAGE = 100;

export function SessionsScreen() {
  const [limit, setLimit] = useState(PAGE);
  const [words, setWords] = useState("");
  const path = withQuery("/sessions", { limit });
  const { value, error } = useData<{ sessions: Session[] }>(path, ["sessions"]);
  const sessions = value?.sessions.filter(({ title, projectDir, branch }) =>
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
          error={error}
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
      {value !== undefined && value.sessions.length === limit
        ? (
          <button type="button" class="more" onClick={() => setLimit(limit + PAGE)}>
            Show more
          </button>
        )
        : null}
    </Screen>
  );
}
