/** Lines of a repository's `config` that make git run something, or send commits elsewhere. */

interface RiskyKey {
  readonly pattern: RegExp;
  readonly example: string;
  readonly counterexample: string;
}

/** Tried on `section.name.key=value` in small letters. */
export const RISKY_KEYS: readonly RiskyKey[] = [
  {
    pattern:
      /^core\.(?:hookspath(?!=\.husky(?:\/_)?$)|fsmonitor|sshcommand|editor|pager|worktree|bare|gitproxy|askpass|attributesfile)=/,
    example: "core.hookspath=/dev/null",
    counterexample: "core.hookspath=.husky/_",
  },
  {
    pattern: /^(?:alias|include|includeif|credential|gpg|protocol|receive|uploadpack|sequence)\./,
    example: "alias.pu=push --force",
    counterexample: "branch.main.merge=refs/heads/main",
  },
  {
    pattern:
      /^(?:filter(?!\.lfs\.)|diff|merge)\..*\.(?:clean|smudge|process|command|textconv|driver)=/,
    example: "filter.x.clean=sh x.sh",
    counterexample: "filter.lfs.clean=git-lfs clean -- %f",
  },
  {
    pattern:
      /^(?:remote\..*\.(?:push|mirror|proxy|uploadpack|receivepack)|url\..*\.(?:push)?insteadof|extensions\.\w+)=/,
    example: "remote.origin.push=+refs/heads/*",
    counterexample: "remote.origin.url=git@example.com:a/b",
  },
];

/** The risky lines of a configuration, each once. */
export function riskyLines(text: string): string[] {
  let section = "";
  const found = new Set<string>();
  for (const line of text.split("\n").map((line) => line.trim())) {
    const head = /^\[\s*([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]\s*(.*)$/.exec(line);
    if (head !== null) section = head[2] === undefined ? head[1]! : `${head[1]}.${head[2]}`;
    const entry = /^([\w-]+)\s*(?:=\s*(.*))?$/.exec(head === null ? line : head[3]!);
    if (entry === null) continue;
    const full = `${section}.${entry[1]}=${entry[2] ?? "true"}`.toLowerCase();
    if (RISKY_KEYS.some(({ pattern }) => pattern.test(full))) found.add(full);
  }
  return [...found].sort();
}
