/** Latency: how long hooks kept people waiting. */
import { useState } from "preact/hooks";
import { withQuery } from "../api.ts";
import { Badge, Empty, Panel, Problem, Rows, Screen, Time } from "../kit/parts.tsx";
import { clock, useData } from "../store.ts";
import type { ExecutionRow, HookSummary } from "../../db/executions.ts";

const SPANS = [["1h", 3_600_000], ["1d", 86_400_000], ["1w", 604_800_000]] as const;
const MINUTE_MS = 60_000;

export function LatencyScreen() {
  const [span, setSpan] = useState<typeof SPANS[number]>(SPANS[1]);
  const { value, error } = useData<{ hooks: HookSummary[] }>(
    withQuery("/latency", { since: span[0] }),
    ["sessions"],
  );
  // The minute, so that the address does not change all the time.
  const sinceMs = Math.floor((clock.value - span[1]) / MINUTE_MS) * MINUTE_MS;
  const slowest = useData<{ executions: ExecutionRow[] }>(
    withQuery("/latency/slowest", { sinceMs }),
    ["sessions"],
  );
  const longest = Math.max(1, ...(value?.hooks ?? []).map(({ p99Ms }) => p99Ms ?? 0));
  return (
    <Screen
      title="Latency"
      beside={
        <select
          aria-label="Time"
          value={span[0]}
          onChange={({ currentTarget }) =>
            setSpan(SPANS.find(([name]) => name === currentTarget.value)!)}
        >
          {SPANS.map(([name]) => <option key={name} value={name}>Last {name}</option>)}
        </select>
      }
    >
      {error === undefined ? null : <Problem error={error} />}
      <Panel title="By hook">
        {value === undefined || value.hooks.length === 0
          ? <Empty title="No hook ran in this time." />
          : (
            <table>
              <thead>
                <tr>
                  <th scope="col">Hook</th>
                  <th scope="col" class="number">Count</th>
                  <th scope="col" class="number narrow-hides">Failed</th>
                  <th scope="col" class="number narrow-hides">Denied</th>
                  <th scope="col">p50 · p95 · p99</th>
                  <th scope="col" class="number narrow-hides">Max ms</th>
                </tr>
              </thead>
              <tbody>
                {value.hooks.map((hook) => (
                  <tr key={hook.hookName}>
                    <th scope="row">{hook.hookName}</th>
                    <td class="number">{hook.count}</td>
                    <td class="number narrow-hides">{hook.failures}</td>
                    <td class="number narrow-hides">{hook.blocked}</td>
                    <td>
                      <Bars hook={hook} longest={longest} />
                    </td>
                    <td class="number narrow-hides">{hook.maxMs?.toFixed(1)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          )}
      </Panel>
      <Panel title="The slowest">
        <Rows
          rows={slowest.value?.executions}
          error={slowest.error}
          empty={<Empty title="No hook ran in this time." />}
        >
          {({ id, sessionId, hookName, toolName, durationMs, createdAtMs }) => (
            <li key={id}>
              <a class="row" href={`#/session/${sessionId}`}>
                <span class="number">{durationMs.toFixed(1)} ms</span>
                <Badge>{hookName}</Badge>
                <span class="grow">{toolName ?? ""}</span>
                <Time at={createdAtMs} />
              </a>
            </li>
          )}
        </Rows>
      </Panel>
    </Screen>
  );
}

const WIDTH = 240;

function Bars({ hook, longest }: { hook: HookSummary; longest: number }) {
  const { p50Ms, p95Ms, p99Ms } = hook;
  const x = (ms: number | null) => Math.max(1, (ms ?? 0) / longest * WIDTH);
  const text = [p50Ms, p95Ms, p99Ms].map((ms) => ms?.toFixed(1) ?? "–").join(" · ");
  return (
    <span class="bars">
      <svg width={WIDTH} height="12" role="img" aria-label={`${text} ms`}>
        <rect class="bar-99" width={x(p99Ms)} height="12" rx="2" />
        <rect class="bar-95" width={x(p95Ms)} height="12" rx="2" />
        <rect class="bar-50" width={x(p50Ms)} height="12" rx="2" />
      </svg>
      <span class="faint">{text} ms</span>
    </span>
  );
}
