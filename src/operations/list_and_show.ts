/** Makes verbs that only read: ones that list rows as a table, and others. */
import { relativeTime } from "../base/time.ts";
import type { CliContext } from "./context.ts";
import { limitOf, MOST_ROWS, type Parameter, type Values } from "./flags.ts";
import { type OpenStore, openStore } from "./open_store.ts";
import { type Columns, cutList, moreLine, tableText } from "./table.ts";
import {
  type AnyFlags,
  type Arguments,
  type Given,
  type Verb,
  verb,
  type VerbSpec,
  type View,
} from "./verb.ts";

export interface Reading extends OpenStore {
  readonly context: CliContext;
}

/** Makes a verb that lists rows. If its `--limit` has a default, the list has pages, and JSON tells of more rows. */
export function listVerb<
  Row,
  const Own extends AnyFlags = Readonly<Record<never, never>>,
  const Args extends readonly Parameter[] = [],
>(
  { name, rows, columns, empty, more, flags, args }: {
    readonly flags?: Own;
    readonly args?: Args;
    /** The key of the rows in JSON. */
    readonly name: string;
    readonly rows: (
      reading: Reading,
      flags: Values<Own>,
      given: { readonly limit: number; readonly text: string },
    ) => readonly Row[] | Promise<readonly Row[]>;
    readonly columns: Columns<Row> | ((reading: Reading) => Columns<Row>);
    readonly empty: string | ((flags: Values<Own>) => string);
    readonly more?: string;
  },
): Verb {
  const isPaged = flags?.limit?.default !== undefined;
  return verb<AnyFlags, readonly Parameter[]>({
    flags: flags ?? {},
    args: args ?? [],
    async run(context, all, text) {
      const given = all as unknown as Values<Own> & { readonly limit?: number };
      const limit = limitOf(context, given.limit);
      const opened = await openStore(context, "read");
      const reading = { ...opened, context };
      const read = (limit: number) => rows(reading, given, { limit, text: text as string });
      const cut = flags?.limit === undefined
        ? { rows: await read(limit), more: 0 }
        : await cutList(context, limit, read);
      const shown = typeof columns === "function" ? columns(reading) : columns;
      const none = typeof empty === "function" ? empty(given) : empty;
      return {
        json: { [name]: cut.rows, ...isPaged && { more: cut.more > 0 } },
        text: tableText(context, cut.rows, shown, none) +
          moreLine(cut, { onwards: more, most: MOST_ROWS[isPaged ? "page" : "list"] }),
      };
    },
  });
}

export function readVerb<
  const Own extends AnyFlags = Readonly<Record<never, never>>,
  const Args extends Arguments = [],
>(
  { run, ...spec }: Omit<VerbSpec<Own, Args>, "run"> & {
    readonly run: (
      reading: Reading,
      flags: Values<Own>,
      ...args: Given<Args>
    ) => View | Promise<View>;
  },
): Verb {
  return verb<Own, Args>({
    ...spec,
    async run(context, flags, ...args) {
      const opened = await openStore(context, "read");
      return await run({ ...opened, context }, flags, ...args);
    },
  });
}

/** Formats a time as `5m ago`; null stays null. */
export function agoText(atMs: number | null): string | null {
  return atMs === null ? null : relativeTime(atMs, Date.now());
}
