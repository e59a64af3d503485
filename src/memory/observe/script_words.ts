/** Reads the words of commands: folders, harmless commands, and programs that only start another one (`npx`). */
import type { ScriptCommand } from "./shell_words.ts";

/** Commands that are never the one that failed, and words of the shell that are no commands. */
const HARMLESS: ReadonlySet<string> = new Set(
  "cd pushd popd export source . set unset echo printf true : sleep ulimit clear exit return for case select done fi esac { }"
    .split(" "),
);
const THROWN_AWAY = /^\/(?:tmp|var\/tmp|dev\/shm)\//;

/** Whether a command cannot be the one that failed: it sets or prints something, or reads a pipe. */
export function isHarmless({ words, before }: ScriptCommand): boolean {
  return before === "|" || HARMLESS.has(words[0]!);
}

/** The folder that a script has changed to before a command; empty when it has not. */
export function folderBefore(commands: readonly ScriptCommand[], at: number): string {
  const shells = new Map<string, string[]>();
  for (const { words: [program, ...args], shells: inside } of commands.slice(0, at + 1)) {
    // A `cd` within brackets counts only there.
    const key = inside.join();
    const folders = shells.get(key) ?? [...shells.get(inside.slice(0, -1).join()) ?? [""]];
    shells.set(key, folders);
    const path = args.find((word) => !/^-./.test(word)) ?? "~";
    if (program === "popd" || program === "cd" && path === "-") {
      if (folders.length > 1) folders.pop();
    } else if (program === "cd" || program === "pushd") {
      folders.push(folderIn(folders.at(-1)!, path));
    }
  }
  return shells.get(commands[at]?.shells.join() ?? "")?.at(-1) ?? "";
}

/** A folder, and a path from there. */
export function folderIn(folder: string, path: string): string {
  const plain = plainPath(path);
  if (plain === "") return folder;
  return /^[/~]/.test(plain) || folder === "" ? plain : `${folder}/${plain}`;
}

/** A path without `./` and a closing slash: `./a/` becomes `a`. */
export function plainPath(path: string): string {
  return path.replace(/^(?:\.\/)+/, "").replace(/\/$/, "").replace(/^\.$/, "");
}

export function isThrownAway(path: string): boolean {
  return THROWN_AWAY.test(path);
}

/** Package managers: they run the scripts and programs of a package. */
export const PACKAGE_MANAGERS: ReadonlySet<string> = new Set(["npm", "pnpm", "yarn", "bun"]);
const RUNS_IN_ENVIRONMENT: ReadonlySet<string> = new Set([
  "uv",
  "poetry",
  "pipenv",
  "hatch",
  "rye",
  "pdm",
]);
const MAX_LAUNCHERS = 6;
/** Words of the shell before a command. */
const SHELL_WORDS = /^(?:!|if|then|elif|else|while|until|do|\{|sudo|nice)$/;

/** A command without what only starts it: `if`, `sudo`, `npx`, `timeout 60`, `python -m`. */
export function withoutLaunchers(words: readonly string[]): readonly string[] {
  let rest = words;
  for (let i = 0; i < MAX_LAUNCHERS; i++) {
    const inner = launched(rest);
    if (inner === null) return rest;
    rest = inner;
  }
  return rest;
}

/** The command that a launcher starts; null for a command that is not a launcher. */
function launched(words: readonly string[]): readonly string[] | null {
  const [first = "", second = "", third = ""] = words;
  const name = nameOf(first);
  if (SHELL_WORDS.test(first) || /^(?:time|exec|nohup)$/.test(name)) return words.slice(1);
  if (name === "command" && !second.startsWith("-")) return words.slice(1);
  if (name === "env" || name === "cross-env") {
    return withoutFirst(words.slice(1), (word, n) => /^-|^\w+=/.test(word) || words[n] === "-u");
  }
  if (name === "timeout") return withoutFlags(words.slice(1)).slice(1);
  if (/^(?:npx|bunx|pnpx)$/.test(name)) return withoutFlags(words.slice(1));
  if (PACKAGE_MANAGERS.has(name)) {
    if (/^(?:exec|dlx|x)$/.test(second)) return withoutFlags(words.slice(2));
    return /^(?:jest|vitest|mocha)$/.test(second) ? words.slice(1) : null;
  }
  if (RUNS_IN_ENVIRONMENT.has(name) && second === "run") return words.slice(2);
  if (name === "bundle" && second === "exec") return words.slice(2);
  if (/^(?:python[\d.]*|py)$/.test(name) && second === "-m") return words.slice(2);
  if (name === "coverage" && second === "run" && third === "-m") return words.slice(3);
  return name === "php" && /(?:^|\/)(?:phpunit|pest)$/.test(second) ? words.slice(1) : null;
}

function withoutFlags(words: readonly string[]): readonly string[] {
  return withoutFirst(words, (word) => word.startsWith("-"));
}

function withoutFirst(
  words: readonly string[],
  isGone: (word: string, at: number) => boolean,
): readonly string[] {
  const at = words.findIndex((word, at) => !isGone(word, at));
  return at < 0 ? [] : words.slice(at);
}

/** A program without its folder: `./node_modules/.bin/jest`. */
export function nameOf(program: string): string {
  return program.slice(program.lastIndexOf("/") + 1).replace(/\.(?:exe|cmd|js)$/, "");
}
