/** Finds commands that change files, packages, services or data. Any other command only looks, or runs something. */
import TABLE from "./changing_commands.json" with { type: "json" };
import {
  calledWords,
  gitArguments,
  isTemporary,
  type ScriptCommand,
  scriptCommands,
} from "./shell_words.ts";

interface Changing {
  /** Matches the program, without its folder, and its arguments, joined by blanks. */
  readonly call: RegExp;
  /** Whether the command changes something outside of the project's files. */
  readonly isOutside: boolean;
  readonly example: string;
}

/** The commands, besides those of git, that change something. The first row that matches counts. */
export const CHANGES: readonly Changing[] = TABLE.map((row) => ({
  ...row,
  call: new RegExp(row.call),
}));
const GIT_CHANGES =
  /^(?:apply|am|cherry-pick|revert|restore|pull|merge|rebase|checkout (?:\S+ )?-- |submodule update|lfs pull)\b/;
/** Programs that print. With a redirection they change a file: `cat > a.py <<'EOF'`, `echo x >> .env`. */
const PRINTING: ReadonlySet<string> = new Set(["cat", "echo", "printf", "jq", "awk", "envsubst"]);
/** Matches a redirection into a file, other than one in `/tmp` or `/dev`. */
const INTO_FILE = /(?:^|[^\d&>=-])>{1,2}\s*(?![&>]|["']?\/(?:tmp|dev)\/)["'\w./~$]/;
const QUOTED = /"(?:[^"\\]|\\.)*"|'[^']*'/g;
const MAX_SOURCE_CHARS = 2_000;

export interface ChangingPart {
  /** The first line of the part, as it was typed. */
  readonly part: string;
  /** Whether the part changes something outside of the project's files: a package, a service, a database. */
  readonly isOutside: boolean;
}

/** Returns the first part of a script that changes something; null when no part does. */
export function changingPart(script: string): ChangingPart | null {
  for (const command of scriptCommands(script)) {
    const isOutside = changesOutside(command);
    if (isOutside === null) continue;
    return { part: command.source.split("\n", 1)[0]!.trim(), isOutside };
  }
  return null;
}

/** Returns whether a command's change lies outside of the project's files; null when it changes nothing. */
function changesOutside({ words, source }: ScriptCommand): boolean | null {
  const git = gitArguments(words);
  if (git !== null) return GIT_CHANGES.test(git.join(" ")) ? false : null;
  const [name = "", ...args] = calledWords(words);
  if (PRINTING.has(name)) {
    const plain = source.slice(0, MAX_SOURCE_CHARS).replace(QUOTED, "''");
    return INTO_FILE.test(plain) ? false : null;
  }
  if (args.some((word) => !word.startsWith("-") && isTemporary(word))) return null;
  const line = [name, ...args].join(" ");
  return CHANGES.find(({ call }) => call.test(line))?.isOutside ?? null;
}
