/** The screen "Health": the doctor's findings, sizes, transcripts and backups. */
import { ask, rights } from "../api.ts";
import { megabytes } from "../format.ts";
import { Badge, ConfirmButton, Empty, Panel, Problem, Rows, Screen } from "../kit/parts.tsx";
import { act, useData } from "../store.ts";
import type { Check } from "../types.ts";
import { Backups, Completeness } from "./care_panels.tsx";

interface Overview {
  readonly version: string;
  readonly database: { readonly path: string; readonly bytes: number; readonly schema: number };
  readonly sessions: { readonly all: { readonly total: number } };
  readonly memory: { readonly observations: number; readonly waiting: number };
  readonly spool: { readonly waiting: number };
}

const TONES = { ok: "good", warn: "warn", fail: "bad" } as const;

export function HealthScreen() {
  const doctor = useData<{ ok: boolean; checks: Check[] }>("/doctor", []);
  const { value, error } = useData<Overview>("/overview", ["memory"]);
  const checks = doctor.value?.checks.toSorted((a, b) =>
    Number(a.status === "ok") - Number(b.status === "ok")
  );
  return (
    <Screen
      title="Health"
      beside={
        <>
          <button type="button" onClick={doctor.reload}>Look again</button>
          {rights() === "act"
            ? (
              <ConfirmButton
                label="Mend"
                sure="Run doctor --fix"
                onYes={() =>
                  void act("What can be mended is mended.", () => ask("POST", "/doctor/fix", {}))
                    .then(doctor.reload)}
              />
            )
            : null}
        </>
      }
    >
      {error === undefined ? null : <Problem error={error} />}
      {value === undefined ? null : (
        <Panel title="Kept">
          <dl class="facts">
            <dt>Version</dt>
            <dd>{value.version}</dd>
            <dt>Database</dt>
            <dd>{value.database.path}</dd>
            <dt>Size</dt>
            <dd>{megabytes(value.database.bytes)}, schema {value.database.schema}</dd>
            <dt>Sessions</dt>
            <dd>{value.sessions.all.total}</dd>
            <dt>Observations</dt>
            <dd>{value.memory.observations}, {value.memory.waiting} captures wait</dd>
            <dt>Spool</dt>
            <dd>{value.spool.waiting} waiting</dd>
          </dl>
        </Panel>
      )}
      <Completeness />
      <Backups />
      <Panel title="Checks">
        <Rows rows={checks} error={doctor.error} empty={<Empty title="Nothing was checked." />}>
          {({ name, status, message, next }) => (
            <li key={name} class="row tall">
              <Badge tone={TONES[status]}>{status}</Badge>
              <span class="grow">
                <span class="strong">{name}</span> {message}
                {next === null ? null : <code class="block">{next}</code>}
              </span>
            </li>
          )}
        </Rows>
      </Panel>
    </Screen>
  );
}
