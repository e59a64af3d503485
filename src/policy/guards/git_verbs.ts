/** Looks for words in a shell command that git would look up among its aliases. Runs before every shell command. */

/** Commands by alias, in small letters. */
export type GitAliases = ReadonlyMap<string, string>;

/** Git's own verbs, which no alias can replace, and verbs that are often added to git. */
const OWN_VERBS: ReadonlySet<string> = new Set(
  ("add am annotate apply archive bisect blame branch bugreport bundle cat-file check-attr check-ignore check-mailmap " +
    "check-ref-format checkout checkout-index cherry cherry-pick clean clone column commit commit-graph commit-tree " +
    "config count-objects credential daemon describe diagnose diff diff-files diff-index diff-tree difftool fast-export " +
    "fast-import fetch fetch-pack filter-branch fmt-merge-msg for-each-ref for-each-repo format-patch fsck gc " +
    "get-tar-commit-id grep hash-object help hook http-backend imap-send index-pack init init-db instaweb " +
    "interpret-trailers log ls-files ls-remote ls-tree mailinfo mailsplit maintenance merge merge-base " +
    "merge-file merge-index merge-tree mergetool mktag mktree multi-pack-index mv name-rev notes pack-objects " +
    "pack-redundant pack-refs patch-id prune prune-packed pull push quiltimport range-diff read-tree rebase " +
    "receive-pack reflog refs remote repack replace replay request-pull rerere reset restore rev-list rev-parse " +
    "revert rm send-pack shell shortlog show show-branch show-index show-ref sparse-checkout stage stash status " +
    "stripspace submodule switch symbolic-ref tag unpack-file unpack-objects update-index update-ref " +
    "update-server-info upload-archive upload-pack var verify-commit verify-pack verify-tag version whatchanged " +
    "worktree write-tree citool filter-repo gui lfs p4 send-email subtree svn").split(" "),
);

export function isOwnVerb(name: string): boolean {
  return OWN_VERBS.has(name);
}

/** `git`, its own options, and the next word. */
const CALL =
  /(?<![\w.-])git(?:\.exe)?(?![\w./-])(?:\s+(?:-[cC]|--(?:git-dir|work-tree|namespace|exec-path|super-prefix|config-env))\s+\S+|\s+-\S+)*[ \t]*([^\s;&|()<>]*)/gi;

/** Signs that the shell puts in the word behind `git`. */
const ADDING = /[$`]|\bxargs\b/;

/** The words after `git` that are none of its verbs, without quotes; null for a word that only the running shell knows. */
export function foreignVerbs(command: string): (string | null)[] {
  const plain = command.replaceAll("\\\n", "").replace(/['"\\]/g, "");
  return Array.from(plain.matchAll(CALL), ([, verb]) => verb!).flatMap((verb) =>
    isOwnVerb(verb)
      ? []
      : ADDING.test(verb) || (verb === "" && ADDING.test(plain))
      ? [null]
      : verb === ""
      ? []
      : [verb.toLowerCase()]
  );
}
