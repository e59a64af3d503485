/** Which branches a git command moves, renames or deletes without checking them out first. */
import { gitCall } from "./git_call.ts";
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
export function branchesMoved(command: readonly Argument[]): readonly string[] {
  const call = gitCall(command);
  if (call === null || call.has("-h --help --dry-run")) return [];
  const { verb, options } = call;
  const operands = call.operands.filter(({ isOpen }) => !isOpen).map(({ text }) => text);
  if (verb === "push") return pushed(operands, options);
  if (verb === "fetch" || verb === "pull") return fetched(operands);
  // Each option has a blank on both sides; the other words follow a bar, the branch that is made anew first.
  const made = call.values("-B -C --force-create").map(({ text }) => text);
  const text = [verb, ...options, "|", ...made, ...operands, ""].join(" ");
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
