/** Loads the steps of one session: the newest page, earlier pages on request, and new steps behind a cursor. */
import { type Signal, signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { ask, type Refused, withQuery } from "./api.ts";
import { gaps, keepFresh, tell } from "./store.ts";
import type { Step } from "../memory/tell/session_steps.ts";
import type { Log } from "./types.ts";

const PAGE = 200;
/** The page size of a search for a step. */
const LARGE_PAGE = 1_000;
/** The time between two requests for new steps of a running session. */
const REST_MS = 400;

export interface StepsShown {
  /** Sorted by time. */
  readonly steps: readonly Step[];
  /** Whether there are earlier steps. */
  readonly more: boolean;
  readonly isLoading: boolean;
  readonly error: Refused | undefined;
}

class StepList {
  readonly shown: Signal<StepsShown> = signal({
    steps: [],
    more: false,
    isLoading: true,
    error: undefined,
  });
  readonly #path: string;
  readonly #known = new Set<string>();
  /** The cursor after everything read so far; null before the first page. */
  #next: string | null = null;
  #isOver = false;

  constructor(readonly sessionId: string) {
    this.#path = `/sessions/${sessionId}/log`;
  }

  /** Keeps the list up to date. @returns A function that stops this. */
  follow(): () => void {
    const { end } = keepFresh([`session:${this.sessionId}`], () => this.#readOn(), REST_MS);
    return () => {
      this.#isOver = true;
      end();
    };
  }

  async #readOn(): Promise<void> {
    try {
      for (let more = true; more && !this.#isOver;) {
        const isFirst = this.#next === null;
        const query = isFirst ? { limit: PAGE } : { after: this.#next! };
        const log = await ask<Log>("GET", withQuery(this.#path, query));
        this.#next = log.next;
        this.#add(log.steps, isFirst ? { more: log.more } : {});
        more = !isFirst && log.more;
      }
    } catch (error) {
      this.shown.value = { ...this.shown.value, error: error as Refused, isLoading: false };
    }
  }

  /** Reads the page before the first step. */
  async readBack(isSearching = false): Promise<void> {
    const { steps: [first], more, isLoading } = this.shown.value;
    if (isLoading || !more || first === undefined) return;
    this.shown.value = { ...this.shown.value, isLoading: true };
    const before = new Date(first.atMs).toISOString();
    const query = { limit: isSearching ? LARGE_PAGE : PAGE, before };
    try {
      const log = await ask<Log>("GET", withQuery(this.#path, query));
      this.#add(log.steps, { more: log.more });
    } catch (thrown) {
      this.shown.value = { ...this.shown.value, isLoading: false, more: false };
      tell((thrown as Refused).message, true);
    }
  }

  #add(news: readonly Step[], { more = this.shown.value.more }: { readonly more?: boolean }): void {
    const { steps: known } = this.shown.value;
    const added = news.filter((step) => !this.#known.has(stepKey(step)));
    for (const step of added) this.#known.add(stepKey(step));
    const steps = added.length === 0 ? known : mergeByTime(known, added);
    this.shown.value = { steps, more, isLoading: false, error: undefined };
  }
}

/** Returns a step's unique key; a failed hook and its capture have the same id. */
export function stepKey({ id, kind }: Pick<Step, "id" | "kind">): string {
  return kind === "gate" ? `gate ${id}` : id;
}

/** Merges steps by time. @param news Sorted by time. */
function mergeByTime(known: readonly Step[], news: readonly Step[]): readonly Step[] {
  if (known.length === 0 || news[0]!.atMs >= known.at(-1)!.atMs) return [...known, ...news];
  if (news.at(-1)!.atMs < known[0]!.atMs) return [...news, ...known];
  return [...known, ...news].sort((a, b) => a.atMs - b.atMs);
}

export function useSteps(
  sessionId: string,
): StepsShown & { readonly readBack: (isSearching?: boolean) => void } {
  const list = useMemo(() => new StepList(sessionId), [sessionId, gaps.value]);
  useEffect(() => list.follow(), [list]);
  return { ...list.shown.value, readBack: (isSearching) => void list.readBack(isSearching) };
}
