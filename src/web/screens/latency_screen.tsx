/** The screen "Latency": how long hooks took over time, which of them people waited for, and the slowest ones. */
import { useMemo, useRef, useState } from "preact/hooks";
import { withQuery } from "../api.ts";
import { msText } from "../format.ts";
import { Chart } from "../kit/chart.tsx";
import { Badge, Empty, Panel, Problem, Rows, Screen, Time } from "../kit/parts.tsx";
import { clock, useData } from "../store.ts";
import type { SlowExecution } from "../../db/executions.ts";
import type { HookLatency, LatencyPoint } from "../../db/hook_latency.ts";
import type { HookStats } from "../types.ts";

interface Span {
  readonly name: string;
  /** The value for `--since`. */
  readonly since: string;
  readonly ms: number;
  /** The time between two points of the chart. */
  readonly minutes: number;
}

const SPANS: readonly [Span, ...Span[]] = [
  { name: "Last day", since: "1d", ms: 86_400_000, minutes: 15 },
  { name: "Last hour", since: "1h", ms: 3_600_000, minutes: 1 },
  { name: "Last week", since: "1w", ms: 604_800_000, minutes: 120 },
];
const MINUTE_MS = 60_000;
/** The least time between two loads of the chart. */
const CHART_MS = 5_000;

export function LatencyScreen() {
  const [span, setSpan] = useState<Span>(SPANS[0]);
  const [hook, setHook] = useState<string | null>(null);
  const { value, error } = useData<{ hooks: HookStats[] }>(
    withQuery("/latency", { since: span.since }),
    ["sessions"],
  );
  // Rounded to minutes, so that the address seldom changes.
  const sinceMs = Math.floor((clock.value - span.ms) / MINUTE_MS) * MINUTE_MS;
  const times = useData<{ hooks: HookLatency[] }>(
    withQuery("/latency/times", { sinceMs, minutes: span.minutes }),
    ["sessions"],
    CHART_MS,
  );
  const slowest = useData<{ executions: SlowExecution[] }>(
    withQuery("/latency/slowest", { sinceMs }),
    ["sessions"],
    CHART_MS,
  );
  const slowestKnown = useLast(slowest.value);
  const hooks = value?.hooks ?? [];
  const shown = hook ?? hooks[0]?.hookName ?? null;
  const points = useLast(times.value)?.hooks.find(({ hookName }) => hookName === shown)?.points;
  const data = useMemo(() => ({
    ...dataOf(points ?? [], span.minutes),
    span: [sinceMs / 1_000, (sinceMs + span.ms + MINUTE_MS) / 1_000] as const,
  }), [points, span, sinceMs]);
  const longest = Math.max(1, ...hooks.map(({ p99Ms }) => p99Ms ?? 0));
  return (
    <Screen
      title="Latency"
      beside={
        <select
          aria-label="Time"
          value={span.since}
          onChange={({ currentTarget }) =>
            setSpan(SPANS.find(({ since }) => since === currentTarget.value)!)}
        >
          {SPANS.map(({ since, name }) => <option key={since} value={since}>{name}</option>)}
        </select>
      }
    >
      {error === undefined ? null : <Problem error={error} />}
      {shown === null ? null : (
        <Panel title={`${shown} over time`}>
          <Chart data={data} label={`p50, p95 and p99 of ${shown} over the ${span.name}`} />
        </Panel>
      )}
      <Panel title="By hook">
        {hooks.length === 0 ? <Empty title="No hook ran in this time." /> : (
          <table>
            <thead>
              <tr>
                <th scope="col">Hook</th>
                <th scope="col" class="number">Count</th>
                <th scope="col" class="number narrow-hides">Failed</th>
                <th scope="col" class="number narrow-hides">Denied</th>
                <th scope="col">p50 · p95 · p99</th>
                <th scope="col" class="number narrow-hides">Max</th>
                <th scope="col" class="number narrow-hides">Waited</th>
                <th scope="col" class="number narrow-hides">Beside</th>
              </tr>
            </thead>
            <tbody>
              {hooks.map((one) => (
                <tr key={one.hookName}>
                  <th scope="row">
                    <button
                      type="button"
                      class="link"
                      aria-pressed={one.hookName === shown}
                      onClick={() => setHook(one.hookName)}
                    >
                      {one.hookName}
                    </button>
                  </th>
                  <td class="number">{one.count}</td>
                  <td class="number narrow-hides">{one.failures}</td>
                  <td class="number narrow-hides">{one.blocked}</td>
                  <td>
                    <Bars hook={one} longest={longest} />
                  </td>
                  <td class="number narrow-hides">{msText(one.maxMs ?? 0)}</td>
                  <td class="number narrow-hides" title="What somebody waited for">
                    {msText(one.waited.ms)}
                  </td>
                  <td class="number narrow-hides" title="What ran beside, and nobody waited for">
                    {msText(one.beside.ms)}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </Panel>
      <Panel title="The slowest">
        <Rows
          rows={slowestKnown?.executions}
          error={slowest.error}
          empty={<Empty title="No hook ran in this time." />}
        >
          {({ id, sessionId, hookName, toolName, title, durationMs, createdAtMs }) => (
            <li key={id}>
              <a class="row" href={`#/session/${sessionId}`}>
                <span class="number">{msText(durationMs)}</span>
                <Badge>{hookName}</Badge>
                <span class="grow">{title ?? "No prompt"}</span>
                {toolName === null ? null : <span class="faint narrow-hides">{toolName}</span>}
                <Time at={createdAtMs} />
              </a>
            </li>
          )}
        </Rows>
      </Panel>
    </Screen>
  );
}

/** Returns the last known value while the next one is loaded. */
function useLast<Value>(value: Value | undefined): Value | undefined {
  const last = useRef(value);
  last.current = value ?? last.current;
  return last.current;
}

/** The lines of the chart; a later one covers an earlier one. */
const LINES = [
  { name: "p99", colour: "--accent-far", of: ({ p99Ms }: LatencyPoint) => p99Ms },
  { name: "p95", colour: "--accent-mid", of: ({ p95Ms }: LatencyPoint) => p95Ms },
  { name: "p50", colour: "--accent", of: ({ p50Ms }: LatencyPoint) => p50Ms },
] as const;

/** Makes the chart's data; lines have a gap where no hook ran. */
function dataOf(points: readonly LatencyPoint[], minutes: number) {
  const at = new Map(points.map((point) => [point.atMs, point]));
  const [first, last] = [points[0]?.atMs ?? 0, points.at(-1)?.atMs ?? 0];
  const stepMs = minutes * MINUTE_MS;
  const times = points.length === 0
    ? []
    : Array.from({ length: (last - first) / stepMs + 1 }, (_, n) => first + n * stepMs);
  return {
    times: times.map((ms) => ms / 1_000),
    lines: LINES.map(({ name, colour, of }) => ({
      name,
      colour,
      values: times.map((ms) => {
        const point = at.get(ms);
        return point === undefined ? null : of(point);
      }),
    })),
  };
}

const WIDTH = 200;

function Bars({ hook, longest }: { hook: HookStats; longest: number }) {
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
