/** What of all that is known helps a session most. */
import type { Tellable } from "./context_text.ts";
import type { ObservationKind } from "./observation.ts";
import { openEndRank } from "./open_ends.ts";

/** How much a kind is worth, when it is new. */
const WORTH: Readonly<Partial<Record<ObservationKind, number>>> = {
  note: 1.5,
  decision: 1.3,
  fix: 1.2,
  commit: 1,
  failure: 0.5,
  test: 0.3,
  edit: 0.5,
};
const WORTH_OF_OTHERS = 0.4;
/** Half of the worth is gone after so long; what was noted or decided holds. */
const HALF_LIFE_MS = 5 * 86_400_000;
const LASTING: ReadonlySet<ObservationKind> = new Set(["note", "decision"]);
/** What the branch's edits are about is worth more, wherever it was found out. */
const WARM_FILE = 0.3;
const STALE = 0.3;
const OTHER_BRANCH = 0.6;
/** What of a fix's worth does not go away. */
const LASTING_FIX = 0.1;
/** An edit tells little beside a commit or a fix; a few show where work goes on. */
const MAX_EDITS = 6;
/** So much is looked at more closely: it fills the largest budget. */
const MAX_LOOKED_AT = 48;

/** Whom it is to help. */
export interface Helped {
  readonly branch: string | null;
  readonly nowMs: number;
  /** What has become of the files of some rows, by their numbers; without it nothing is looked at. */
  readonly staleOf?: StaleOf | undefined;
}

/** Looks what has become of the files of some rows; those whose files are as they were are not in it. */
export type StaleOf = (rows: readonly Tellable[]) => ReadonlyMap<number, Tellable["stale"]>;

const NOTHING: ReadonlyMap<number, Tellable["stale"]> = new Map();

/**
 * The most useful first, as much of it as may be told: what is not looked at is not told. Of several edits of a file, and
 * of equal titles, only the newest. Left out is what others tell: failures that are mended, tests that pass, edits that
 * went into a commit or a fix.
 *
 * @param rows The newest first.
 */
export function byWorth(
  rows: readonly Tellable[],
  { branch, nowMs, staleOf = () => NOTHING }: Helped,
): Tellable[] {
  const warm = new Set(
    rows.filter((one) => one.kind === "edit" && one.branch === branch)
      .flatMap(({ files }) => files),
  );
  const worthOf = (one: Tellable) => {
    const { kind, files, stale } = one;
    const age = Math.max(0, nowMs - one.updatedAtMs);
    const worth = (WORTH[kind] ?? WORTH_OF_OTHERS) *
        (LASTING.has(kind) ? 1 : 2 ** (-age / HALF_LIFE_MS)) +
      (kind !== "edit" && files.some((file) => warm.has(file)) ? WARM_FILE : 0) -
      (stale === null ? 0 : STALE) + (kind === "fix" ? LASTING_FIX : 0);
    return worth * (one.branch === branch ? 1 : OTHER_BRANCH);
  };
  const inOrder = (some: readonly Tellable[]) =>
    some.map((one) => ({ one, worth: worthOf(one) }))
      .sort((a, b) => b.worth - a.worth || b.one.id - a.one.id)
      .map(({ one }) => one);
  let edits = 0;
  const best = inOrder(tellingOnly(rows))
    .filter(({ kind }) => kind !== "edit" || ++edits <= MAX_EDITS)
    .slice(0, MAX_LOOKED_AT);
  const stale = staleOf(best);
  return stale.size === 0
    ? best
    : inOrder(best.map((one) => stale.has(one.id) ? { ...one, stale: stale.get(one.id)! } : one));
}

function tellingOnly(rows: readonly Tellable[]): Tellable[] {
  const told = toldByOthers(rows);
  const seen = new Set<string>();
  return rows.filter((one) => {
    const { kind, title, files } = one;
    const isRun = kind === "test" || kind === "failure";
    if (isRun && openEndRank(one) === null) return false;
    if (kind === "edit" && told(one)) return false;
    const key = kind === "edit" ? `edit ${files.join()}` : title;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

/** Tells whether a later commit of its session, or a later fix of its file, says on its branch what an edit would say. */
function toldByOthers(rows: readonly Tellable[]): (edit: Tellable) => boolean {
  const lastAtMs = new Map<string, number>();
  for (const { kind, sessionId, branch, files, updatedAtMs } of rows) {
    if (kind !== "fix" && kind !== "commit") continue;
    for (const place of kind === "commit" ? [...files, sessionId] : files) {
      const key = `${branch} ${place}`;
      lastAtMs.set(key, Math.max(updatedAtMs, lastAtMs.get(key) ?? 0));
    }
  }
  return ({ branch, sessionId, files, updatedAtMs }) =>
    [sessionId, ...files].some((place) =>
      (lastAtMs.get(`${branch} ${place}`) ?? -Infinity) >= updatedAtMs
    );
}
