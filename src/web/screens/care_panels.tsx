/** Panels for backups, and for comparing the database with Claude Code's transcripts. */
import { useEffect } from "preact/hooks";
import { count } from "../../base/counts.ts";
import { ask, rights } from "../api.ts";
import { folderName, megabytes } from "../format.ts";
import { Badge, Empty, Panel, Problem, Rows, Time } from "../kit/parts.tsx";
import { act, useData } from "../store.ts";
import type { BackfillState } from "../../operations/project_gaps.ts";

interface Backup {
  readonly path: string;
  readonly atMs: number;
  readonly bytes: number;
}

export function Backups() {
  const { value, error, reload } = useData<{ backups: Backup[] }>("/backups", []);
  return (
    <Panel title="Backups">
      <Rows
        rows={value?.backups}
        error={error}
        empty={<Empty title="There is no backup yet." />}
      >
        {({ path, atMs, bytes }) => (
          <li key={path} class="row tall">
            <span class="grow">
              <code>{path}</code>
            </span>
            <span class="number">{megabytes(bytes)}</span>
            <Time at={atMs} />
          </li>
        )}
      </Rows>
      {rights() !== "act" ? null : (
        <p>
          <button
            type="button"
            onClick={() =>
              void act("A backup is made, and checked.", () => ask("POST", "/backups", {}))
                .then(reload)}
          >
            Back up now
          </button>
        </p>
      )}
    </Panel>
  );
}

const LOOK_MS = 500;

/** Shows by project how much of the transcripts the database has, and fills in what is missing. */
export function Completeness() {
  const { value, error, reload } = useData<BackfillState>("/backfill", []);
  const running = value?.running ?? null;
  const last = value?.last ?? null;
  useEffect(() => {
    if (running === null) return;
    const timer = setInterval(reload, LOOK_MS);
    return () => clearInterval(timer);
  }, [running === null]);
  const begin = (fill: boolean) =>
    void act(
      fill ? "What is missing is filled in." : "Transcripts are compared.",
      () => ask("POST", "/backfill", { fill }),
    ).then(reload);
  const gaps = last?.kind !== "done"
    ? 0
    : last.projects.reduce((sum, { toolUses, others }) => sum + toolUses + others, 0);
  return (
    <Panel title="Transcripts of Claude Code">
      {error === undefined ? null : <Problem error={error} />}
      {last === null
        ? (
          <p class="faint">
            They tell what hooks should have kept. Compare them to see what is missing.
          </p>
        )
        : last.kind === "failed"
        ? <p class="problem" role="alert">{last.why}</p>
        : (
          <>
            <p>
              {last.filled !== null
                ? `${count(last.filled, "step was", "steps were")} filled in, ${
                  last.worked ?? 0
                } worked into memory`
                : gaps === 0
                ? "Nothing is missing"
                : `${count(gaps, "step is", "steps are")} missing`} of{" "}
              {count(last.transcripts, "transcript")} · <Time at={last.atMs} />
            </p>
            <Rows
              rows={last.projects}
              empty={<Empty title="No transcript tells of a session." />}
            >
              {({ projectDir, sessions, found, toolUses, others }) => (
                <li key={projectDir ?? ""} class="row tall">
                  <Badge tone={toolUses + others === 0 || last.filled !== null ? "good" : "warn"}>
                    {toolUses + others === 0
                      ? "complete"
                      : last.filled === null
                      ? "gaps"
                      : "filled in"}
                  </Badge>
                  <span class="grow" title={projectDir ?? ""}>
                    {folderName(projectDir)}
                    <span class="faint block">
                      {gapsText(toolUses, others)} {found} in {count(sessions, "session")}
                    </span>
                  </span>
                </li>
              )}
            </Rows>
          </>
        )}
      {running === null ? null : (
        <p class="inline" role="status">
          <progress aria-label={running.doing} value={running.done} max={running.of ?? 1} />
          <span>
            {running.doing} {running.of === undefined ? "" : `${running.done} of ${running.of}`}
          </span>
        </p>
      )}
      {rights() !== "act" || running !== null ? null : (
        <p class="inline">
          <button type="button" onClick={() => begin(false)}>Compare</button>
          {gaps === 0 || last?.kind !== "done" || last.filled !== null
            ? null
            : <button type="button" onClick={() => begin(true)}>Fill in what is missing</button>}
        </p>
      )}
    </Panel>
  );
}

/** Tells what is missing: `12 tool uses, 1 other step of`; `all` if nothing is. */
function gapsText(toolUses: number, others: number): string {
  const parts = [
    ...toolUses > 0 ? [count(toolUses, "tool use")] : [],
    ...others > 0 ? [count(others, "other step")] : [],
  ];
  return parts.length === 0 ? "all" : `${parts.join(", ")} of`;
}
