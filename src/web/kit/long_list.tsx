/** Shows a list of many rows; only rows on the screen are in the document. */
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  Virtualizer,
} from "@tanstack/virtual-core";

const ROW_PX = 32;
/** The distance from the top at which the list requests earlier rows. */
const NEAR_TOP_PX = 400;

export function LongList<Row>(
  { rows, keyOf, onTop, jump, children, label }: {
    rows: readonly Row[];
    keyOf: (row: Row) => string;
    /** Requests rows before the first one. */
    onTop?: (() => void) | undefined;
    /** The key of the row to show; a new object shows it again. */
    jump?: { readonly key: string } | null;
    children: (row: Row) => ComponentChildren;
    label: string;
  },
) {
  const frame = useRef<HTMLDivElement>(null);
  const [, draw] = useState(0);
  const made = useRef<Virtualizer<HTMLDivElement, HTMLElement> | null>(null);
  const list = made.current ??= new Virtualizer<HTMLDivElement, HTMLElement>({
    count: 0,
    getScrollElement: () => frame.current,
    estimateSize: () => ROW_PX,
    scrollToFn: elementScroll,
    observeElementRect,
    observeElementOffset,
  });
  list.setOptions({
    ...list.options,
    count: rows.length,
    overscan: 12,
    getItemKey: (at) => keyOf(rows[at]!),
    onChange: () => draw((n) => n + 1),
  });
  useLayoutEffect(() => list._didMount(), []);
  useLayoutEffect(() => list._willUpdate());
  // Visible rows stay in place when earlier ones are added, and a list at its end stays at its end.
  const before = useRef<{ first: string | undefined; total: number; isAtEnd: boolean }>({
    first: undefined,
    total: 0,
    isAtEnd: true,
  });
  const first = rows.length === 0 ? undefined : keyOf(rows[0]!);
  const total = list.getTotalSize();
  useLayoutEffect(() => {
    const { current: seen } = before;
    const element = frame.current;
    if (element === null) return;
    if (seen.first !== undefined && seen.first !== first) {
      const at = rows.findIndex((row) => keyOf(row) === seen.first);
      if (at > 0) element.scrollTop += list.measurementsCache[at]?.start ?? 0;
    } else if (seen.isAtEnd && total !== seen.total) element.scrollTop = element.scrollHeight;
    before.current = { ...seen, first, total };
  }, [first, total]);
  useLayoutEffect(() => {
    if (jump === null || jump === undefined) return;
    const at = rows.findIndex((row) => keyOf(row) === jump.key);
    if (at >= 0) {
      before.current.isAtEnd = false;
      list.scrollToIndex(at, { align: "start" });
      toFocus.current = jump.key;
      draw((n) => n + 1);
    }
  }, [jump]);
  // The row to focus after a jump, so that the keys continue from there.
  const toFocus = useRef<string | null>(null);
  const onScroll = () => {
    const element = frame.current;
    // A scroll event may come after the list was removed.
    if (element === null) return;
    before.current.isAtEnd = element.scrollHeight - element.scrollTop - element.clientHeight < 40;
    if (element.scrollTop < NEAR_TOP_PX) onTop?.();
  };
  return (
    <div
      class="long-list"
      ref={frame}
      onScroll={onScroll}
      tabIndex={0}
      role="region"
      aria-label={label}
    >
      <div
        class="long-list-rows"
        ref={(node) => {
          if (node !== null) node.style.height = `${total}px`;
        }}
      >
        {list.getVirtualItems().map((item) => (
          <article
            key={item.key}
            data-index={item.index}
            ref={(node) => {
              if (node === null) return;
              node.style.transform = `translateY(${item.start}px)`;
              list.measureElement(node);
              if (toFocus.current !== item.key) return;
              toFocus.current = null;
              node.querySelector("button")?.focus({ preventScroll: true });
            }}
          >
            {children(rows[item.index]!)}
          </article>
        ))}
      </div>
    </div>
  );
}
