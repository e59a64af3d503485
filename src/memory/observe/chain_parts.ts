/** The commands of a script that have all passed when it has, each as it would be typed alone. */
import { resolvePath } from "../../paths.ts";
import { inFolder, inItsFolder, type Surroundings } from "./command_folder.ts";
import type { ScriptCommand } from "./shell_words.ts";
import { isHarmless } from "./script_words.ts";
import { choosesVersion } from "./tool_versions.ts";

/** More is no chain of checks. */
const MAX_PARTS = 12;
/** What only the shell can tell. */
const NOT_PLAIN = /^[~-]|[$`*?\\:]/;
/** Behind these the files are other ones than those that are worked on. */
const OTHER_FILES = /^(?:checkout|switch|stash|bisect|worktree)$/;
const MOVES_ON: ReadonlySet<string> = new Set(["pushd", "popd"]);

/**
 * The parts of a script of which nothing but `&&` stands between, each with the folder before it that the script had gone
 * to; none of a script that is built in another way, and none behind a step that nobody can follow.
 */
export function chainParts(
  command: string,
  commands: readonly ScriptCommand[],
  surroundings: Surroundings,
): string[] {
  if (commands.length < 2 || commands.length > MAX_PARTS || !isChain(command, commands)) return [];
  if (!beganAtRoot(commands, surroundings)) return [];
  const parts: string[] = [];
  let folder = "";
  for (const part of commands) {
    const [program = "", ...args] = part.words;
    if (goesToOtherFiles(part)) break;
    if (program === "cd") {
      const next = folderAfter(folder, args);
      if (next === null) break;
      folder = next;
      continue;
    }
    if (MOVES_ON.has(program)) break;
    if (choosesVersion(part)) break;
    if (!isHarmless(part)) parts.push(placed(part.source, folder, surroundings));
  }
  return parts;
}

/** Whether the files are other ones behind a command of git. */
export function goesToOtherFiles({ words: [program, ...args] }: ScriptCommand): boolean {
  return program === "git" && args.some((word) => OTHER_FILES.test(word));
}

/** Whether a script is its commands with `&&` between, and nothing else: no brackets, no second line. */
function isChain(command: string, commands: readonly ScriptCommand[]): boolean {
  const plain = (text: string) => text.replace(/\\\n|\s+/g, "");
  return plain(commands.map(({ source }) => source).join("&&")) === plain(command);
}

/** Whether a script that goes on to other folders ended where it leads to from the root, or that is not known. */
function beganAtRoot(
  commands: readonly ScriptCommand[],
  { root, shellFolder }: Surroundings,
): boolean {
  const goesOn = commands.slice(1).some(({ words }) => words[0] === "cd");
  if (!goesOn || root === null || shellFolder === "" || shellFolder === root) return true;
  let folder: string | null = "";
  for (const { words: [program, ...args] } of commands) {
    if (program === "cd" && folder !== null) folder = folderAfter(folder, args);
  }
  return folder !== null && resolvePath(folder, { folder: root }) === shellFolder;
}

/** Where a step leads; the empty text for the folder that the script began in, null when it cannot be told. */
function folderAfter(folder: string, [path = "~", ...more]: readonly string[]): string | null {
  if (more.length > 0 || path === "" || NOT_PLAIN.test(path)) return null;
  if (path.startsWith("/")) return resolvePath(path, { folder: "/" });
  const steps = folder.split("/").filter((step) => step !== "");
  for (const step of path.split("/")) {
    if (step === "..") {
      if (steps.pop() === undefined) return null;
    } else if (step !== "" && step !== ".") steps.push(step);
  }
  return `${folder.startsWith("/") ? "/" : ""}${steps.join("/")}`;
}

/** A part as it would be typed alone, by who stands where the script began. */
function placed(source: string, folder: string, { root }: Surroundings): string {
  return folder === "" ? source : inItsFolder(inFolder(folder, source), { root, shellFolder: "" });
}
