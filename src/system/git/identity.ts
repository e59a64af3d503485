/** Finds what identifies a repository wherever its folder lies: its first commit, and the remote it was cloned from. */
import type { Environment } from "../environment.ts";
import { joinPath } from "../../base/paths.ts";
import { exists, readHead, readText } from "../on_disk.ts";
import { askGitLines } from "./run_git.ts";

export interface RepositoryIdentity {
  /** Null without a commit, and in a shallow clone. */
  readonly firstCommit: string | null;
  /** `github.com/ana/shop`, without scheme, user and ending; null without a remote. */
  readonly remote: string | null;
}

const MAX_LINE_BYTES = 1_000;

/** Reads the identity from git's files, which name the first commit only where the repository was begun, not cloned. */
export function quickIdentity(commonDir: string): RepositoryIdentity {
  const url = /^\[remote "origin"\]\s*\n(?:[ \t].*\n)*?[ \t]+url\s*=\s*(.+)$/m
    .exec(readText(joinPath(commonDir, "config")) ?? "")?.[1];
  // The log may be long, and only its first line counts.
  const log = readHead(joinPath(commonDir, "logs/HEAD"), MAX_LINE_BYTES);
  const [first = ""] = new TextDecoder().decode(log ?? undefined).split("\n", 1);
  return {
    firstCommit: /^0+ ([\da-f]{40,64}) .*\tcommit \(initial\)/.exec(first)?.[1] ?? null,
    remote: url === undefined ? null : normalRemote(url),
  };
}

/** Asks git for the whole identity. Git reads the history, so nobody should wait for the answer. */
export async function identityOf(
  commonDir: string,
  environment: Pick<Environment, "variable">,
): Promise<RepositoryIdentity> {
  const { remote } = quickIdentity(commonDir);
  if (exists(joinPath(commonDir, "shallow"))) return { firstCommit: null, remote };
  const words = ["--git-dir", commonDir, "rev-list", "--max-parents=0", "HEAD"];
  const roots = await askGitLines(commonDir, words, { environment });
  return { firstCommit: roots.at(-1) ?? null, remote };
}

/** Removes from a remote what differs between clones. @returns Null for a relative path: it depends on the clone. */
export function normalRemote(url: string): string | null {
  const bare = url.trim().replace(/[?#].*$/, "").replace(/\/+$/, "").replace(/\.git$/, "");
  const path = /^(?:file:\/\/)?(\/.+)$/.exec(bare)?.[1];
  if (path !== undefined) return path;
  const [, host, rest] = /^[a-z+]+:\/\/(?:[^@/]*@)?([^/:]+)(?::\d+)?\/(.+)$/i.exec(bare) ??
    /^(?:[^@/]*@)?([^/:]+):(.+)$/.exec(bare) ?? [];
  return host === undefined ? null : `${host.toLowerCase()}/${rest!.replace(/^\/+/, "")}`;
}
