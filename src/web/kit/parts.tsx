/** Small components that every screen uses. */
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Refused } from "../api.ts";
import { ago } from "../format.ts";
import type { Listed } from "../list.ts";
import { clock } from "../store.ts";

/** How good or urgent something is; decides its colour. */
export type Tone = "plain" | "good" | "warn" | "bad" | "accent";

export function Badge({ tone = "plain", children }: { tone?: Tone; children: ComponentChildren }) {
  return <span class={`badge ${tone}`}>{children}</span>;
}

/** Shows how long ago a time was; the exact time on hover. */
export function Time({ at }: { at: number }) {
  const date = new Date(at);
  return (
    <time dateTime={date.toISOString()} title={date.toLocaleString()}>
      {ago(at, clock.value)}
    </time>
  );
}

/** Shows that there is nothing, and what to do. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p class="strong">{title}</p>
      {children}
    </div>
  );
}

export function Problem({ error }: { error: Refused }) {
  return (
    <div class="problem" role="alert">
      <p class="strong">{error.message}</p>
      {error.why === "" ? null : <p>{error.why}</p>}
      {error.next === "" ? null : (
        <p>
          Next: <code>{error.next}</code>
        </p>
      )}
    </div>
  );
}

export function Screen(
  { title, beside, children }: {
    title: string;
    beside?: ComponentChildren;
    children: ComponentChildren;
  },
) {
  return (
    <section class="screen" aria-label={title}>
      <header class="screen-head">
        <h1>{title}</h1>
        <div class="beside">{beside}</div>
      </header>
      {children}
    </section>
  );
}

export function Panel({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <section class="panel">
      <h2>{title}</h2>
      {children}
    </section>
  );
}

/** Shows rows, that they are loading, that there are none, or an error. */
export function Rows<Row>(
  { rows, error, empty, children }: {
    rows: readonly Row[] | undefined;
    error?: Refused | undefined;
    empty: ComponentChildren;
    children: (row: Row) => ComponentChildren;
  },
) {
  if (error !== undefined) return <Problem error={error} />;
  if (rows === undefined) return <p class="faint" role="status">Loading …</p>;
  if (rows.length === 0) return <>{empty}</>;
  return <ul class="rows">{rows.map(children)}</ul>;
}

/** A button that asks for confirmation before it does something that cannot be undone. */
export function ConfirmButton(
  { label, sure, onYes }: { label: string; sure: string; onYes: () => void },
) {
  const [isAsking, setAsking] = useState(false);
  const sureButton = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => sureButton.current?.focus(), [isAsking]);
  if (!isAsking) return <button type="button" onClick={() => setAsking(true)}>{label}</button>;
  return (
    <span class="asking">
      <button
        type="button"
        class="bad"
        ref={sureButton}
        onClick={() => {
          setAsking(false);
          onYes();
        }}
      >
        {sure}
      </button>
      <button type="button" onClick={() => setAsking(false)}>Cancel</button>
    </span>
  );
}

/** A button that loads more rows, if there are any. @param rest The command that lists rows beyond the page's limit. */
export function More(
  { list, rest }: { list: Pick<Listed<unknown>, "readOn" | "isCut">; rest: string },
) {
  if (list.readOn !== null) {
    return <button type="button" class="more" onClick={list.readOn}>Show more</button>;
  }
  if (!list.isCut) return null;
  return (
    <p class="faint">
      The rest: <code>{rest}</code>
    </p>
  );
}
