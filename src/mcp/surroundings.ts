import type { DatabaseSync } from "node:sqlite";

/** An open database, and what the configuration says there. Whoever opened it closes it. */
export interface OpenedStore {
  readonly db: DatabaseSync;
  readonly place: {
    /** Absolute path. */
    readonly database: string;
    readonly config: { readonly redactPatterns: readonly string[] };
  };
}

/** What the server is given by whoever starts it. */
export interface Surroundings {
  /** The folder whose project this is about, absolute. */
  readonly folder: string;
  /** The session that the server was started for; null when it is not known. */
  readonly sessionId: string | null;
  /**
   * Opens the database. It is opened anew for every call: between two of them it may be replaced, migrated or removed.
   *
   * @param what What could not be done otherwise: `recall anything`. @returns Null where there is none yet.
   * @throws {UserError} When it cannot be opened.
   */
  readonly openToRead: (what: string) => Promise<OpenedStore | null>;
  /** Opens the database, which is made when it is missing. @throws {UserError} When it cannot be opened. */
  readonly openToWrite: (what: string) => Promise<OpenedStore>;
  /** What, why and next of anything that was thrown. @param what As in `openToRead`. */
  readonly errorText: (thrown: unknown, what: string) => string;
  /** Tells a person that the server itself is broken. */
  readonly say: (line: string) => void;
}
