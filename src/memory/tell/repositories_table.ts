/** Stores the identities of repositories, so that a repository is recognized after its folder has moved. */
import type { DatabaseSync } from "node:sqlite";
import { daysMs } from "../../base/time.ts";
import { insertRow, statement } from "../../db/statement.ts";
import { transaction } from "../../db/transaction.ts";
import type { RepositoryIdentity } from "../../system/git/identity.ts";
import { exists } from "../../system/on_disk.ts";
import { folderOfProject } from "../project_paths.ts";
import { KINDS_OF_BRANCH } from "./memory_context_table.ts";

/** The age of an identity after which it is read again: a remote may change, and a first commit may come. */
const ANEW_AFTER_MS = daysMs(7);

/** Tells whether the identity of a repository must be read, for the first time or again. */
export function lacksIdentity(db: DatabaseSync, repository: string, nowMs: number): boolean {
  return statement(db, "SELECT 1 FROM repositories WHERE repository = ? AND known_at_ms > ?")
    .get(repository, nowMs - ANEW_AFTER_MS) === undefined;
}

/** Replaces the stored identity of a repository, in one transaction. */
export function keepIdentity(
  db: DatabaseSync,
  repository: string,
  { firstCommit, remote, atMs }: RepositoryIdentity & { readonly atMs: number },
): void {
  const identities = [firstCommit, remote].filter((identity) => identity !== null);
  transaction(db, () => {
    statement(db, "DELETE FROM repositories WHERE repository = ?").run(repository);
    for (const identity of identities.length === 0 ? [""] : identities) {
      insertRow(db, "repositories", { identity, repository, knownAtMs: atMs });
    }
  });
}

/**
 * Returns missing folders in which the same repository was, the last one first, if memory still knows them.
 * @param options `onlyIfNew`: returns none when memory knows the repository's present folder.
 */
export function formerFolders(
  db: DatabaseSync,
  repository: string,
  { firstCommit, remote, onlyIfNew }: RepositoryIdentity & { readonly onlyIfNew: boolean },
): string[] {
  const rows = statement(db)`
    SELECT DISTINCT repository
      FROM repositories AS other
     WHERE identity IN (SELECT ?2 UNION ALL SELECT ?3 UNION ALL
                        SELECT identity FROM repositories WHERE repository = ?1 AND identity <> '')
       AND repository <> ?1
       AND EXISTS (SELECT 1 FROM observations WHERE project = other.repository AND ${KINDS_OF_BRANCH})
       AND NOT (?4 AND EXISTS (SELECT 1 FROM observations WHERE project = ?1 AND ${KINDS_OF_BRANCH}))
     ORDER BY known_at_ms DESC
     LIMIT 10`.all(repository, firstCommit, remote, onlyIfNew ? 1 : 0);
  return rows.map((row) => String(row["repository"])).filter((path) => !exists(path))
    .map(folderOfProject);
}
