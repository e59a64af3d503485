/** The screen "Team": the sync state of each shared project, its writers, and what waits for a person. */
import { Badge, Empty, Panel, Problem, Rows, Screen, Time } from "../kit/parts.tsx";
import { useData } from "../store.ts";

interface Writer {
  readonly author: string;
  readonly kind: string;
  readonly rows: number;
}

interface Shared {
  readonly name: string;
  readonly server: string;
  readonly fault: string | null;
  readonly syncedAtMs: number | null;
  readonly waiting: number;
  readonly behind: number;
  readonly writers: readonly Writer[];
}

interface Held {
  readonly id: number;
  readonly kind: string;
  readonly uid: string;
  readonly reason: string;
  readonly detail: string;
  readonly heldAtMs: number;
}

export function TeamScreen() {
  const { value, error } = useData<{ projects: Shared[] }>("/team", ["memory", "work"]);
  const held = useData<{ held: Held[] }>("/team/held", ["memory", "work"]);
  return (
    <Screen title="Team">
      {error === undefined ? null : <Problem error={error} />}
      {value?.projects.length === 0
        ? (
          <Empty title="No project is shared.">
            <p>
              A team shares memory and tasks over a PostgreSQL:{" "}
              <code>conclaude team join ADDRESS</code>
            </p>
          </Empty>
        )
        : null}
      {value?.projects.map((one) => <SharedProject key={one.name} shared={one} />)}
      {value === undefined || value.projects.length === 0
        ? null
        : (
          <Panel title="Waits for a person">
            <Rows
              rows={held.value?.held}
              error={held.error}
              empty={<Empty title="Nothing is held back." />}
            >
              {({ id, kind, uid, reason, detail, heldAtMs }) => (
                <li key={id} class="row tall">
                  <Badge tone="warn">{reason}</Badge>
                  <span class="grow">
                    <span class="strong">{kind}</span> {detail}
                    <code class="block">conclaude team held {uid}</code>
                  </span>
                  <Time at={heldAtMs} />
                </li>
              )}
            </Rows>
          </Panel>
        )}
    </Screen>
  );
}

function SharedProject({ shared }: { shared: Shared }) {
  const { name, server, fault, syncedAtMs, waiting, behind, writers } = shared;
  const members = [...Map.groupBy(writers, ({ author }) => author)];
  return (
    <Panel title={name}>
      <dl class="facts">
        <dt>Server</dt>
        <dd>{server}</dd>
        <dt>Synced</dt>
        <dd>
          {syncedAtMs === null ? "never" : <Time at={syncedAtMs} />}
          {fault === null ? null : <Badge tone="bad">{fault}</Badge>}
        </dd>
        <dt>Waits</dt>
        <dd>
          {waiting} to be sent, {behind} to be taken in
        </dd>
        {members.map(([author, of]) => (
          <>
            <dt>{author}</dt>
            <dd>{of.map(({ kind, rows }) => `${rows} ${kind}`).join(", ")}</dd>
          </>
        ))}
      </dl>
    </Panel>
  );
}
