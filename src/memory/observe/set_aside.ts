/** What a command puts aside of the work that is going on, and puts back: what passes between says nothing of that work. */
import { gitArguments } from "./git_words.ts";
import { isThrownAway } from "./script_words.ts";
import type { ScriptCommand } from "./shell_words.ts";

/** Where the work is after a command. */
export interface SetAside {
  /** `stash`, or the path of a file of which a copy was kept. */
  readonly what: string;
  readonly isAway: boolean;
}

/** What git says that has left the changes where they are, or has not brought them back. */
const NOTHING_STASHED = /^No local changes to save$/m;
const STASHED = /^Saved working directory and index state/m;
const NOT_BACK =
  /would be overwritten|already exists, no checkout|[Cc]ould not restore|index\.lock/;
/** Behind these nothing waits to come back, also when it was thrown away: what is there is the work. */
const BACK: ReadonlySet<string> = new Set(["pop", "apply", "drop", "clear", "branch"]);
const LOOKS: ReadonlySet<string> = new Set(["list", "show", "create", "store"]);
/** How the copy of a file is called that lies beside it. */
const COPY = /\.(?:bak|orig|old|save|saved|backup|copy|tmp|mine)$|~$/;

/** What a command has put aside or back last; null when nothing. */
export function setAsideBy(
  { commands, output, outcome }: {
    readonly commands: readonly ScriptCommand[];
    readonly output: string;
    readonly outcome: "success" | "failure";
  },
): SetAside | null {
  return stashed(commands, { output, outcome }) ??
    (outcome === "success" ? restored(commands) : null);
}

function stashed(
  commands: readonly ScriptCommand[],
  { output, outcome }: { readonly output: string; readonly outcome: "success" | "failure" },
): SetAside | null {
  const verbs = commands.flatMap(({ words }) => {
    const [program, verb = "push"] = gitArguments(words) ?? [];
    return program === "stash" && !LOOKS.has(verb) ? [verb] : [];
  });
  const last = verbs.at(-1);
  if (last === undefined) return null;
  const failed = outcome === "failure";
  if (BACK.has(last)) {
    return failed && NOT_BACK.test(output) ? null : { what: "stash", isAway: false };
  }
  const isAway = failed ? STASHED.test(output) : !NOTHING_STASHED.test(output);
  return isAway ? { what: "stash", isAway } : null;
}

/** `cp a.ts /tmp/a.ts && git checkout a.ts`, and the copy back. */
function restored(commands: readonly ScriptCommand[]): SetAside | null {
  const kept = new Set<string>();
  let last: SetAside | null = null;
  for (const { words } of commands) {
    const [verb, ...args] = gitArguments(words) ?? [];
    if (verb === "checkout" || verb === "restore") {
      const what = args.find((word) => kept.has(word));
      if (what !== undefined) last = { what, isAway: true };
    }
    const [program = "", ...rest] = words;
    if (program !== "cp" && program !== "mv") continue;
    const [from = "", to = "", ...more] = rest.filter((word) => !word.startsWith("-"));
    if (to === "" || more.length > 0) continue;
    if (isCopy(from)) last = { what: to, isAway: false };
    else if (isCopy(to)) kept.add(from);
  }
  return last;
}

function isCopy(path: string): boolean {
  return isThrownAway(path) || COPY.test(path);
}
