/** Which branches a git command moves, renames or deletes without checking them out first. */
import { programName, split, withoutGitOptions } from "./operands.ts";
import ROWS from "./moved_branches.json" with { type: "json" };
import type { Argument } from "./word.ts";

/** The groups `to` and `from`: the branches that are moved, and where to. */
const TABLE = ROWS.map(({ pattern }) => new RegExp(pattern.slice(1, -1)));
/** `+SOURCE:DESTINATION`, `:DESTINATION`, `BRANCH`. */
const REFSPEC = /^\+?(?:refs\/heads\/)?([^:]*?)(?::(?:refs\/heads\/)?(.*))?$/;

/**
 * The branches that a command moves, as far as its words tell. A branch that is brought to where its remote stands
 * (`git branch -f main origin/main`, `git fetch origin main:main`) is left out. `HEAD` is the branch that is checked out.
 */
export function branchesMoved([program, ...rest]: readonly Argument[]): readonly string[] {
  if (program === undefined || programName(program.text) !== "git") return [];
  const { words: [verb, ...after] } = withoutGitOptions(rest);
  const known = after.filter(({ isOpen }) => !isOpen);
  const { operands, options } = split(known, { valued: "mo", valuedLong: "reason push-option" });
  if (options.some((option) => /^(?:-h|--help|--dry-run)$/.test(option))) return [];
  const words = operands.map(({ text }) => text);
  if (verb?.text === "push") return pushed(words, options);
  if (verb?.text === "fetch" || verb?.text === "pull") return fetched(words);
  // Each option has a blank on both sides, and the other words follow a bar.
  const text = [verb?.text, ...options, "|", ...words, ""].join(" ");
  return TABLE.flatMap((pattern) => {
    const { to = "", from } = pattern.exec(text)?.groups ?? {};
    return to.split(" ").map((name) => name.replace(/^refs\/heads\//, "")).filter((name) =>
      name !== "" && !from?.endsWith(`/${name}`)
    );
  });
}

function pushed([, ...refs]: readonly string[], options: readonly string[]): string[] {
  if (refs.length === 0) return options.includes("--tags") ? [] : ["HEAD"];
  return refs.flatMap((ref) => {
    const found = REFSPEC.exec(ref);
    return [found?.[2] ?? found?.[1] ?? ""].filter((name) => name !== "");
  });
}

/** From another repository a branch of the same name may come, from this one none. */
function fetched([remote = "", ...refs]: readonly string[]): string[] {
  const isLocal = /^[./]/.test(remote);
  return refs.flatMap((ref) => {
    const [, source, destination = ""] = REFSPEC.exec(ref) ?? [];
    return destination === "" || (!isLocal && source === destination) ? [] : [destination];
  });
}
