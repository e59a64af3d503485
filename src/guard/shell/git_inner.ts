/** What git runs beside itself. */
import { isOwnVerb } from "../git_verbs.ts";
import { ofGit } from "./aliases.ts";
import { withoutGitOptions } from "./operands.ts";
import { afterOption, type Inner, join, scriptFrom, type ScriptOption } from "./inner.ts";
import { type Argument, literal } from "./word.ts";

const UPLOAD: ScriptOption = { letter: "u", long: "upload-pack" };
const RECEIVE: ScriptOption = { letter: "", long: "receive-pack" };

/** Verbs with an option whose value git runs. */
const RUN_BY_VERB: ReadonlyMap<string, ScriptOption> = new Map([
  ["rebase", { letter: "x", long: "exec" }],
  ["difftool", { letter: "x", long: "extcmd" }],
  ["clone", UPLOAD],
  ["fetch", { ...UPLOAD, letter: "" }],
  ["pull", { ...UPLOAD, letter: "" }],
  ["fetch-pack", { ...UPLOAD, letter: "" }],
  ["ls-remote", { ...UPLOAD, letter: "" }],
  ["push", RECEIVE],
  ["send-pack", RECEIVE],
]);

/** git's settings whose value it runs. */
const RUN_BY_GIT =
  /^[^=]*(?:pager|editor|command|helper|external|program|cmd|textconv|fsmonitor|askpass)=(.+)$/is;

/** The verb that a program of git's own is called by: `push` of `git-push`, a program beside `git`; null for others. */
export function verbOfProgram(name: string): string | null {
  const verb = name.startsWith("git-") ? name.slice(4) : "";
  return isOwnVerb(verb) ? verb : null;
}

/** What stands in the command: an alias or a program that is set with it, and what it is told to run for each commit. */
export function inGit(rest: readonly Argument[]): Inner[] {
  const set = rest.flatMap(({ text }, i): Inner[] => {
    const setting = text === "-c" ? rest[i + 1]?.text ?? "" : "";
    const [, run] = RUN_BY_GIT.exec(setting) ?? [];
    if (run !== undefined) return [scriptFrom(literal(run.replace(/^!/, "")))];
    const [, value] = /^alias\.[^=]+=(.*)$/s.exec(setting) ?? [];
    if (value === undefined) return [];
    return [scriptFrom(literal(ofGit(value)))];
  });
  const { words: [verb, ...after] } = withoutGitOptions(rest);
  const [first, ...others] = after;
  if (verb?.text === "bisect" && first?.text === "run") {
    return [...set, { kind: "command", words: others }];
  }
  if (verb?.text === "submodule" && first?.text === "foreach") {
    return [...set, scriptFrom(join(others.filter(({ text }) => !text.startsWith("-"))))];
  }
  if (verb?.text === "filter-branch") {
    return [
      ...set,
      ...after.flatMap(({ text }, i) =>
        /^--\w+-filter$/.test(text) ? after.slice(i + 1, i + 2) : []
      ).map(scriptFrom),
    ];
  }
  const option = RUN_BY_VERB.get(verb?.text ?? "");
  const run = option && afterOption(option, after);
  return run === undefined ? set : [...set, run];
}
