import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { basename, dirname, join } from "node:path";
import type { System } from "../system/permissions.ts";
import { quoteWord } from "../claude/settings/hooks.ts";
import { runFlags } from "./program.ts";

/** Whose file was there before. A foreign file is kept under the name `movedTo`. */
export type Placed =
  | { readonly before: "nothing" | "ours" }
  | { readonly before: "foreign"; readonly movedTo: string };

/**
 * Replaces a program in one step: a process that starts meanwhile gets either the old program or the new one.
 *
 * @throws {Error} When the folder is not writable, or `path` is a folder.
 */
export async function placeProgram(
  path: string,
  content: { readonly text: string } | { readonly copyOf: string },
): Promise<Placed> {
  await Deno.mkdir(dirname(path), { recursive: true });
  return await replace(path, async (draft) => {
    if ("text" in content) await Deno.writeTextFile(draft, content.text, { createNew: true });
    else await Deno.copyFile(content.copyOf, draft);
    if (Deno.build.os !== "windows") await Deno.chmod(draft, 0o755);
    return await makeRoom(path);
  });
}

/** Writes a draft beside a path and moves it there; when a step fails, the draft is removed. */
async function replace(path: string, make: (draft: string) => Promise<Placed>): Promise<Placed> {
  const draft = join(dirname(path), `.${basename(path)}.${crypto.randomUUID()}`);
  try {
    const placed = await make(draft);
    await Deno.rename(draft, path);
    return placed;
  } catch (thrown) {
    await Deno.remove(draft).catch(() => {});
    throw thrown;
  }
}

/**
 * Puts an executable beside its place under a name of its own, and a link to it into the place.
 *
 * The runtime of an executable opens its own file once more right after it was started. Where another file has taken its
 * name by then, a hook ends before it begins; a file that a link has led to stays. So does the one before: its processes
 * may be at work. Those before that one are removed.
 *
 * @param path Where it is started by. Where there are no links for everybody (Windows), the file itself is put there.
 * @throws {Error} As {@linkcode placeProgram}.
 */
export async function placeExecutable(
  path: string,
  { copyOf, version }: { readonly copyOf: string; readonly version: string },
): Promise<Placed> {
  if (Deno.build.os === "windows") return await placeProgram(path, { copyOf });
  const digest = await digestOf(copyOf);
  const name = `${basename(path)}-${version}-${digest.slice(0, 8)}`;
  const file = join(dirname(path), name);
  if (await digestOf(file).catch(() => null) !== digest) await placeProgram(file, { copyOf });
  const before = await linkedName(path);
  const placed = await replace(path, async (draft) => {
    await Deno.symlink(name, draft);
    return before === undefined ? await makeRoom(path) : { before: "ours" };
  });
  await removeOlder(path, [name, before]);
  return placed;
}

async function digestOf(path: string): Promise<string> {
  return createHash("sha256").update(await Deno.readFile(path)).digest("hex");
}

/** The name of our executable to which the link at a path leads; undefined when it is anything else. */
async function linkedName(path: string): Promise<string | undefined> {
  const target = await Deno.readLink(path).catch(() => "");
  if (target === "" || target !== basename(target)) return undefined;
  const isGoneButOurs = () => isVersionOf(basename(path), target);
  return await isOurs(join(dirname(path), target)).catch(isGoneButOurs) ? target : undefined;
}

function isVersionOf(base: string, name: string): boolean {
  return name.startsWith(`${base}-`) && /^[\w.+-]+-[0-9a-f]{8}$/.test(name.slice(base.length + 1));
}

async function removeOlder(path: string, kept: readonly (string | undefined)[]): Promise<void> {
  for await (const { name, isFile } of Deno.readDir(dirname(path))) {
    if (!isFile || kept.includes(name) || !isVersionOf(basename(path), name)) continue;
    const older = join(dirname(path), name);
    if (await isOurs(older)) await Deno.remove(older);
  }
}

async function makeRoom(path: string): Promise<Placed> {
  const found = await lookAt(path);
  if (found === null) return { before: "nothing" };
  if (found.isDirectory) throw new Error(`${path} is a folder`);
  if (found.isFile && await isOurs(path)) return { before: "ours" };
  let movedTo = `${path}.before-conclaude`;
  for (let i = 2; await lookAt(movedTo) !== null; i++) movedTo = `${path}.before-conclaude-${i}`;
  await Deno.rename(path, movedTo);
  return { before: "foreign", movedTo };
}

async function lookAt(path: string): Promise<Deno.FileInfo | null> {
  return await Deno.lstat(path).catch((thrown) => {
    if (thrown instanceof Deno.errors.NotFound) return null;
    throw thrown;
  });
}

/** Our launcher carries its mark; an executable of ours was made by Deno and embeds the names that it may read. */
async function isOurs(path: string): Promise<boolean> {
  const bytes = Buffer.from(await Deno.readFile(path));
  return bytes.includes(LAUNCHER_MARK) ||
    (bytes.includes("d3n0l4nd") && bytes.includes("CONCLAUDE_DB_PATH"));
}

/** The line by which our launcher is known. */
export const LAUNCHER_MARK = "conclaude launcher, written by `deno task install`";

/** The absolute paths of the two files that a launcher starts. */
interface LauncherParts {
  readonly deno: string;
  readonly bundle: string;
}

/** The files to put on the PATH: one script, and on Windows a second one for shells that are not POSIX. */
export function launcherFiles(
  system: System,
  parts: LauncherParts,
): { readonly name: string; readonly text: string }[] {
  if (system !== "windows") return [{ name: "conclaude", text: posixLauncher(system, parts) }];
  // Claude Code runs hooks in Git Bash there, which wants forward slashes.
  const slashed = (path: string) => path.replaceAll("\\", "/");
  const forBash = { deno: slashed(parts.deno), bundle: slashed(parts.bundle) };
  return [
    { name: "conclaude", text: posixLauncher(system, forBash) },
    { name: "conclaude.cmd", text: windowsLauncher(parts) },
  ];
}

function posixLauncher(system: System, { deno, bundle }: LauncherParts): string {
  return `#!/bin/sh
# ${LAUNCHER_MARK}.
deno=${quoteWord(deno)}
bundle=${quoteWord(bundle)}
if [ ! -x "$deno" ] || [ ! -f "$bundle" ]; then
  echo "conclaude: $deno or $bundle is gone; run \\\`deno task install\\\` in the clone again" >&2
  exit 1
fi
export DENO_NO_UPDATE_CHECK=1
exec "$deno" run ${runFlags(system).map(quoteWord).join(" ")} "$bundle" "$@"
`;
}

function windowsLauncher({ deno, bundle }: LauncherParts): string {
  const word = (text: string) => `"${text.replaceAll("%", "%%")}"`;
  return `@echo off
rem ${LAUNCHER_MARK}.
setlocal
set DENO_NO_UPDATE_CHECK=1
${word(deno)} run ${runFlags("windows").map(word).join(" ")} ${word(bundle)} %*
`.replaceAll("\n", "\r\n");
}
