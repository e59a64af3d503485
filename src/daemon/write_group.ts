/** Writes of several requests in one transaction: most of what a small write costs is its commit. */
import type { DatabaseSync } from "node:sqlite";
import { setImmediate } from "node:timers";
import { transaction } from "../store/database.ts";

interface Waiting {
  readonly work: () => unknown;
  readonly resolve: (result: unknown) => void;
  readonly reject: (thrown: unknown) => void;
}

/**
 * Requests that came at the same moment share a commit, and none is answered before it. Each has a savepoint of its own:
 * what one is refused keeps nothing from the others.
 */
export class WriteGroup {
  readonly #db: DatabaseSync;
  readonly #check: () => void;
  #waiting: Waiting[] = [];

  /** @param check Asked before anything is written; what it throws, all are told who wait. */
  constructor(db: DatabaseSync, check: () => void) {
    this.#db = db;
    this.#check = check;
  }

  /** Does `work` in a write transaction. Settled when it is committed, or undone. */
  run(work: () => unknown): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ work, resolve, reject });
      if (this.#waiting.length === 1) setImmediate(() => this.#commit());
    });
  }

  #commit(): void {
    const group = this.#waiting;
    this.#waiting = [];
    const [first, second] = group;
    try {
      this.#check();
      if (second === undefined) return first!.resolve(transaction(this.#db, first!.work));
      const answers = transaction(this.#db, () => group.map((one) => this.#attempt(one)));
      for (const answer of answers) answer();
    } catch (thrown) {
      // Nothing of all this was kept.
      for (const { reject } of group) reject(thrown);
    }
  }

  /** @returns What tells the result, once it is committed. @throws When the whole transaction is gone. */
  #attempt({ work, resolve, reject }: Waiting): () => void {
    this.#db.exec("SAVEPOINT request");
    try {
      const result = work();
      this.#db.exec("RELEASE request");
      return () => resolve(result);
    } catch (thrown) {
      if (!this.#db.isTransaction) throw thrown;
      this.#db.exec("ROLLBACK TO request; RELEASE request");
      return () => reject(thrown);
    }
  }
}
