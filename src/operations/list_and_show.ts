/** The two kinds of verbs that only read: a list of rows as a table, and one record in detail. */
import { relativeTime } from "../base/time.ts";
import { plain } from "../base/plain.ts";
import type { CliContext } from "./context.ts";
import { limitOf, type Parameter, type Values } from "./flags.ts";
import { type OpenStore, openStore } from "./open_store.ts";
import { type Columns, cutList, moreLine, tableText } from "./table.ts";
import { type Verb, verb } from "./verb.ts";

interface Help {
  readonly brief?: string;
  readonly about: string;
  readonly examples: readonly string[];
}

/** The database that a verb reads, and where the verb runs. */
export interface Reading extends OpenStore {
  readonly context: CliContext;
}

type Flags = Readonly<Record<string, Parameter>>;

/** Makes a verb that lists rows. A list whose flag `--limit` has a default comes in pages: JSON tells whether there are more. */
export function listVerb<
  Row,
  const Given extends Flags = Readonly<Record<never, never>>,
  const Args extends readonly Parameter[] = [],
>(
  { name, rows, columns, empty, more, flags, args, ...help }: Help & {
    readonly flags?: Given;
    readonly args?: Args;
    /** What JSON calls the rows. */
    readonly name: string;
    /** Reads at most `limit` rows. */
    readonly rows: (
      reading: Reading,
      flags: Values<Given>,
      given: { readonly limit: number; readonly text: string },
    ) => readonly Row[] | Promise<readonly Row[]>;
    readonly columns: Columns<Row> | ((reading: Reading) => Columns<Row>);
    /** What people read when there are no rows. */
    readonly empty: string | ((flags: Values<Given>) => string);
    /** The flags that show more rows. */
    readonly more?: string;
  },
): Verb {
  const isPaged = flags?.limit?.default !== undefined;
  return verb<Flags, readonly Parameter[]>({
    flags: flags ?? {},
    args: args ?? [],
    ...help,
    async run(context, all, text) {
      const given = all as unknown as Values<Given> & { readonly limit?: number };
      const limit = limitOf(context, given.limit);
      const opened = await openStore(context, "read");
      const reading = { ...opened, context };
      const read = (limit: number) => rows(reading, given, { limit, text: text as string });
      const cut = flags?.limit === undefined
        ? { rows: await read(limit), more: 0 }
        : await cutList(context, limit, read);
      const shown = typeof columns === "function" ? columns(reading) : columns;
      const none = typeof empty === "function" ? empty(given) : empty;
      const table = tableText(context, cut.rows, shown, none);
      return {
        json: { [name]: cut.rows, ...isPaged && { more: cut.more > 0 } },
        text: table + moreLine(cut, more),
      };
    },
  });
}

/** Makes a verb that shows one record: as JSON, and as lines in which control characters become spaces. */
export function showVerb(
  { arg, read, ...help }: Help & {
    readonly arg: Parameter<string>;
    readonly read: (reading: Reading, id: string) => Shown | Promise<Shown>;
  },
): Verb {
  return verb({
    args: [arg],
    ...help,
    async run(context, _flags, id) {
      const opened = await openStore(context, "read");
      const { lines, ...shown } = await read({ ...opened, context }, id);
      return { ...shown, text: lines.map(plain).join("\n") };
    },
  });
}

interface Shown {
  readonly json: unknown;
  readonly quoted?: true;
  readonly lines: readonly string[];
}

/** `5m ago`; null where nothing has happened. */
export function agoText(atMs: number | null): string | null {
  return atMs === null ? null : relativeTime(atMs, Date.now());
}
