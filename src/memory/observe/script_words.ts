/** Reads the words of commands: folders, harmless commands, and programs that only start another one (`npx`). */
import TABLE from "./launchers.json" with { type: "json" };
import type { ScriptCommand } from "./shell_words.ts";

/** Commands that are never the one that failed. */
const HARMLESS: ReadonlySet<string> = new Set(
  "cd pushd popd export source . set unset echo printf true : sleep ulimit clear exit return"
    .split(" "),
);
const THROWN_AWAY = /^\/(?:tmp|var\/tmp|dev\/shm)\//;

/** Tells whether a command cannot be the one that failed, since it sets or prints something, or reads a pipe. */
export function isHarmless({ words, before }: ScriptCommand): boolean {
  return before === "|" || HARMLESS.has(words[0]!);
}

/** Returns the folder to which a script has changed before a command; empty when it has not changed the folder. */
export function folderBefore(commands: readonly ScriptCommand[], at: number): string {
  const shells = new Map<string, string[]>();
  for (const { words: [program, ...args], shells: inside } of commands.slice(0, at + 1)) {
    // A `cd` within brackets counts only within them.
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

/** Joins a folder and a path that is relative to it. */
export function folderIn(folder: string, path: string): string {
  const plain = plainPath(path);
  if (plain === "") return folder;
  return /^[/~]/.test(plain) || folder === "" ? plain : `${folder}/${plain}`;
}

/** Removes `./` and a closing slash from a path: `./a/` becomes `a`. */
export function plainPath(path: string): string {
  return path.replace(/^(?:\.\/)+/, "").replace(/\/$/, "").replace(/^\.$/, "");
}

export function isThrownAway(path: string): boolean {
  return THROWN_AWAY.test(path);
}

/** Package managers, which run the scripts and programs of a package. */
export const PACKAGE_MANAGERS: ReadonlySet<string> = new Set(["npm", "pnpm", "yarn", "bun"]);

/** A call that only starts another command, found by its program's name and the next two words. */
interface Launcher {
  readonly call: RegExp;
  /** How many words stand before the launcher's options, and after them. */
  readonly drops: number;
  readonly then: number;
  /** Matches its options, null when it has none; and the option that takes a value. */
  readonly skips: RegExp | null;
  readonly takes: string | null;
  readonly example: string;
}

export const LAUNCHERS: readonly Launcher[] = TABLE.map((row) => ({
  ...{ then: 0, takes: null, ...row },
  call: new RegExp(row.call),
  skips: row.skips === undefined ? null : new RegExp(row.skips),
}));

/** Returns a command without its launchers: `sudo`, `npx`, `timeout 60`, `python -m`. */
export function withoutLaunchers(words: readonly string[]): readonly string[] {
  const inner = launched(words);
  return inner === null ? words : withoutLaunchers(inner);
}

/** Returns a command without its launchers, and its program without its folder. */
export function calledWords(words: readonly string[]): readonly string[] {
  const [program, ...args] = withoutLaunchers(words);
  return program === undefined ? [] : [nameOf(program), ...args];
}

/** Returns the command that a launcher starts; null for a command that is not a launcher. */
function launched([first = "", ...words]: readonly string[]): readonly string[] | null {
  const line = [nameOf(first), ...words.slice(0, 2)].join(" ");
  const row = LAUNCHERS.find(({ call }) => call.test(line));
  if (row === undefined) return null;
  const rest = words.slice(row.drops - 1);
  const at = rest.findIndex((word, n) =>
    !row.skips?.test(word) && (n === 0 || rest[n - 1] !== row.takes)
  );
  return at < 0 ? [] : rest.slice(at + row.then);
}

/** Returns the name of a program without its folder: `jest` for `./node_modules/.bin/jest`. */
export function nameOf(program: string): string {
  return program.slice(program.lastIndexOf("/") + 1).replace(/\.(?:exe|cmd|js)$/, "");
}
