/** What the files of this room share. */
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

/** A project of this machine that is joined with those of others. */
export interface JoinedProject {
  /** The common git directory, or the folder where there is none. */
  readonly project: string;
  /** What it is called on the server. */
  readonly name: string;
  readonly way: WayToServer;
  /** This machine in this project. */
  readonly origin: string;
  /** The number of the last row that was taken in, and of the newest one on the server when it was last asked. */
  readonly pulledSeq: number;
  readonly headSeq: number;
  /** The highest number of this machine's rows that the server has taken. */
  readonly ackedSeq: number;
  /** Whether what was here before it was joined is named in the outbox: after the first pull. */
  readonly isListed: boolean;
  /** Why the last sync failed; null when it did not. */
  readonly fault: string | null;
  /** How far the server has been told that this machine has read. */
  readonly toldSeq: number;
  /** When a sync found that the server was restored from an older copy; null once `team verify` finds both the same. */
  readonly restoredAtMs: number | null;
  readonly joinedAtMs: number;
  readonly syncedAtMs: number | null;
  /** What the last sync forgot that had to forget. */
  readonly forgot: readonly ForgottenRows[];
}

/** What was forgotten here since somebody of the team has forgotten it. Titles are gone. */
export interface ForgottenRows {
  readonly author: string;
  readonly rows: number;
  /** When it was last told to the server, by its clock. */
  readonly atMs: number;
}

/** A machine of a project, and how far it has read. */
export interface SeenMachine {
  readonly origin: string;
  readonly author: string;
  readonly seq: number;
  /** When it last told so, or when it left. */
  readonly atMs: number;
  /** The number of the newest row when it left; null where it has not. It may keep what it had then. */
  readonly leftSeq: number | null;
  /** What the machine is called since its database was restored or copied. */
  readonly heir: string | null;
}

export type Operation = "put" | "forget";

/** The kind of a row: of an observation its own, and `task`. */
export type RowKind = string;

/** A row as the server has it. */
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
  /** Null where a newer version follows, where this machine wrote it, and where the row is gone. */
  readonly body: string | null;
}

/** A version of a row, without what it says. */
export type RowVersion = Pick<ServerRow, "uid" | "kind" | "op" | "origin" | "author" | "seq">;

/** How much there is of a machine. */
export interface OriginSum {
  readonly origin: string;
  readonly author: string;
  readonly rows: number;
  /** A sum over the rows' digests. */
  readonly digest: string;
  /** The highest number that the machine gave. */
  readonly lastSeq: number;
}

/** A row that arrives, opened. */
export interface ArrivingRow extends Pick<ServerRow, "kind" | "uid" | "op" | "seq"> {
  /** Null where it is of the same person, on another machine. */
  readonly author: string | null;
  /** JSON. */
  readonly body: string;
}

/** What became of rows that arrived. */
export interface TakenRows {
  /** The rows that cannot be taken, and why. */
  readonly refused: ReadonlyMap<string, string>;
  /** Tasks that are further on here than those who changed them knew: they are sent again. */
  readonly ahead: readonly string[];
  /** Tasks that have lost no change made here. */
  readonly whole: readonly string[];
}

/** A task that is to be claimed. */
export interface WantedTask {
  readonly task: string;
  /** How often it was completed, as far as this machine knows. */
  readonly round: number;
  /** The least number that the claim may get. */
  readonly least: number;
}

/** What the server says of a claim that changed here without it. */
export interface ServerWord {
  readonly fence: number;
  /** Who has the task; null when nobody has. */
  readonly holder: string | null;
  /** Whether that is the claim that is here. */
  readonly isHere: boolean;
}

/** What the tables of other rooms give and take; the operations pass it in, since rooms of one storey do not know each other. */
export interface SharedRows {
  /** What is sent of a row, JSON without secrets; null when it is not here any more. `suspect`: why it is held instead. */
  readonly read: (
    kind: RowKind,
    uid: string,
  ) =>
    | { readonly body: string; readonly suspect: string | null; readonly isDeleted: boolean }
    | null;
  /** Whether two versions of a task differ in what people see. */
  readonly differ: (mine: string, theirs: string) => boolean;
  /** The rows of a project that can be shared, the oldest first. */
  readonly list: (project: string) => Iterable<{ readonly kind: RowKind; readonly uid: string }>;
  /** Takes rows in, in one transaction with what stands around it. */
  readonly take: (
    project: string,
    rows: readonly ArrivingRow[],
    around: {
      readonly before: () => void;
      readonly after: (taken: TakenRows) => void;
    },
  ) => void;
  /** A task as the server has to know it to give a claim on it; undefined when it is not here. */
  readonly wanted: (task: string) => WantedTask | undefined;
  /** Tasks of a project that might be claimed, the most urgent first. */
  readonly claimable: (project: string, limit: number) => WantedTask[];
  /** The claims that were made here on tasks of a project. */
  readonly claimsHere: (
    project: string,
  ) => readonly Pick<UntoldClaim, "uid" | "holder" | "token">[];
  /** How long the claim on a task counts here, in milliseconds; the usual time when nobody has it. */
  readonly leaseLeft: (task: string) => number;
  /** Makes a claim here what the server says of it, all or nothing. */
  readonly obey: (claim: UntoldClaim, word: ServerWord) => void;
  /**
   * Forgets what others have forgotten, in every file of this machine. What has a body comes in anew afterwards.
   * @returns The uids of what was here.
   */
  readonly forget: (
    rows: readonly Pick<ServerRow, "kind" | "uid" | "body">[],
  ) => Promise<ReadonlySet<string>>;
}

/** What a sync works with. */
export interface TeamStore {
  readonly db: DatabaseSync;
  readonly rows: SharedRows;
  /** The kinds that are sent. */
  readonly share: readonly RowKind[];
}
