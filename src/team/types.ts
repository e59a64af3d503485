/** Types that the files of this room share. */
import type { DatabaseSync } from "node:sqlite";
import type { UntoldClaim } from "../db/team_outbox.ts";

/** How to reach a team's server. It holds no password. */
export interface WayToServer {
  /** `postgres://ana@db.example.org:5432/team` */
  readonly address: string;
  /** Certificates that are trusted instead of those of the system. */
  readonly caFile?: string;
  /** A file of mode 0600 with the password alone. */
  readonly passwordFile?: string;
  /** A shell command that prints the password. */
  readonly passwordCommand?: string;
  /** A file of mode 0600 with the key under which bodies are encrypted. */
  readonly keyFile?: string;
}

/** A project of this machine that is shared through a server. */
export interface JoinedProject {
  /** The common git directory, or the folder when git does not track it. */
  readonly project: string;
  /** The project's name on the server. */
  readonly name: string;
  readonly way: WayToServer;
  /** The id of this machine in this project. */
  readonly origin: string;
  /** The number of the last row stored here, and of the newest row that the server had at the last pull (`headSeq`). */
  readonly pulledSeq: number;
  readonly headSeq: number;
  /** The highest number of this machine's rows that the server has taken. */
  readonly ackedSeq: number;
  /** Whether the outbox lists the rows that are older than the joining, which happens after the first pull. */
  readonly isListed: boolean;
  /** Why the last sync failed; null when it succeeded. */
  readonly fault: string | null;
  /** The number of the last row that this machine has reported to the server as read. */
  readonly toldSeq: number;
  /** When a sync found that the server was restored from an older copy; null once `team verify` finds both the same. */
  readonly restoredAtMs: number | null;
  readonly joinedAtMs: number;
  readonly syncedAtMs: number | null;
  /** The rows that the last sync with something to forget has forgotten. */
  readonly forgot: readonly ForgottenRows[];
}

/** Rows that this machine forgot because a member of the team forgot them. */
export interface ForgottenRows {
  readonly author: string;
  readonly rows: number;
  /** When the server learnt of the last of them, by its clock. */
  readonly atMs: number;
}

/** A machine of a project, and how far it has read. */
export interface SeenMachine {
  readonly origin: string;
  readonly author: string;
  readonly seq: number;
  /** When the machine last reported what it has read, or left. */
  readonly atMs: number;
  /** The number of the newest row when the machine left, up to which it may keep rows; null when it has not left. */
  readonly leftSeq: number | null;
  /** The machine's new id after its database was restored or copied. */
  readonly heir: string | null;
}

export type Operation = "put" | "forget";

/** The kind of a row: `task`, `requirement`, or the kind of an observation. */
export type RowKind = string;

/** A row on the server. */
export interface ServerRow {
  readonly seq: number;
  readonly origin: string;
  readonly originSeq: number;
  readonly author: string;
  readonly kind: RowKind;
  readonly uid: string;
  readonly op: Operation;
  readonly digest: string;
  readonly atMs: number;
  /** The content; null when a newer version follows, when this machine wrote the row, and when the row is gone. */
  readonly body: string | null;
}

/** A version of a row, without its content. */
export type RowVersion = Pick<ServerRow, "uid" | "kind" | "op" | "origin" | "author" | "seq">;

/** How many rows a machine has written, and their sum. */
export interface OriginSum {
  readonly origin: string;
  readonly author: string;
  readonly rows: number;
  /** A sum over the rows' digests. */
  readonly digest: string;
  /** The highest number that the machine gave to a row. */
  readonly lastSeq: number;
}

/** A row from the server with its body opened. */
export interface ArrivingRow extends Pick<ServerRow, "kind" | "uid" | "op" | "seq"> {
  /** The login of the writer; null for another machine of the same person. */
  readonly author: string | null;
  /** The opened body, JSON. */
  readonly body: string;
}

/** The result of storing arriving rows. */
export interface TakenRows {
  /** The rows that cannot be stored, by uid, and why. */
  readonly refused: ReadonlyMap<string, string>;
  /** Tasks that are further on here than their writers knew; this machine sends them again. */
  readonly ahead: readonly string[];
  /** Tasks that lost none of the changes made here. */
  readonly whole: readonly string[];
}

/** A task to claim. */
export interface WantedTask {
  readonly task: string;
  /** How often the task was completed, as far as this machine knows. */
  readonly round: number;
  /** The lowest number that the claim may get. */
  readonly least: number;
}

/** The server's decision about a claim that changed here without it. */
export interface ServerWord {
  readonly fence: number;
  /** Who has the task; null when nobody has. */
  readonly holder: string | null;
  /** Whether the holder's claim is the one made here. */
  readonly isHere: boolean;
}

/** Access to the tables of other rooms. The operations pass it in, since these rooms must not import each other. */
export interface SharedRows {
  /** Reads a row for sending, as JSON without secrets; null when the row is gone. `suspect`: why to hold it instead. */
  readonly read: (kind: RowKind, uid: string) =>
    | { readonly body: string; readonly suspect: string | null; readonly isDeleted: boolean }
    | null;
  /** Tells whether two versions of a task differ in what people see. */
  readonly differ: (mine: string, theirs: string) => boolean;
  /** Lists the rows of a project that can be shared, the oldest first. */
  readonly list: (project: string) => Iterable<{ readonly kind: RowKind; readonly uid: string }>;
  /** Stores rows, in one transaction with `before` and `after`. */
  readonly take: (
    project: string,
    rows: readonly ArrivingRow[],
    around: {
      readonly before: () => void;
      readonly after: (taken: TakenRows) => void;
    },
  ) => void;
  /** Returns what the server needs to give a claim on a task; undefined when the task is not here. */
  readonly wanted: (task: string) => WantedTask | undefined;
  /** Lists tasks of a project that may be free, the most urgent first. */
  readonly claimable: (project: string, limit: number) => WantedTask[];
  /** Lists the claims that were made here on tasks of a project. */
  readonly claimsHere: (
    project: string,
  ) => readonly Pick<UntoldClaim, "uid" | "holder" | "token">[];
  /** Returns how long the claim on a task still counts, in milliseconds; the usual lease when nobody has the task. */
  readonly leaseLeft: (task: string) => number;
  /** Sets a claim here to the server's decision, all or nothing. */
  readonly obey: (claim: UntoldClaim, word: ServerWord) => void;
  /**
   * Forgets rows that others have forgotten, in every file of this machine. Rows with a body are then stored again.
   * @returns The uids of the rows that were here.
   */
  readonly forget: (
    rows: readonly Pick<ServerRow, "kind" | "uid" | "body">[],
  ) => Promise<ReadonlySet<string>>;
}

/** What a sync reads and writes. */
export interface TeamStore {
  readonly db: DatabaseSync;
  readonly rows: SharedRows;
  /** The kinds of rows to send. */
  readonly share: readonly RowKind[];
}
