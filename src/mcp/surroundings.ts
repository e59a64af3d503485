import type { DatabaseSync } from "node:sqlite";

/** An open database with its configuration. Whoever opened it closes it. */
export interface OpenedStore {
  readonly db: DatabaseSync;
  readonly place: {
    /** Absolute path. */
    readonly database: string;
    readonly config: { readonly redactPatterns: readonly string[] };
  };
}

/** What the command line passes to the server. */
export interface Surroundings {
  /** The folder whose project the answers are for, absolute. */
  readonly folder: string;
  /** The session that the server was started for; null when it is not known. */
  readonly sessionId: string | null;
  /**
   * Opens the database, anew for each call: between two calls it may be replaced, migrated or removed.
   *
   * @param what What the error says was not possible: `call recall`. @returns Null where there is no database yet.
   * @throws {UserError} When it cannot be opened.
   */
  readonly openToRead: (what: string) => Promise<OpenedStore | null>;
  /** Opens the database, and makes it when it is missing. @throws {UserError} When it cannot be opened. */
  readonly openToWrite: (what: string) => Promise<OpenedStore>;
  /** The error as what, why and next. @param what As in `openToRead`. */
  readonly errorText: (thrown: unknown, what: string) => string;
  /** Tells the person that the server itself is broken. */
  readonly say: (line: string) => void;
}
