/** Puts a program or a launcher into a folder, and keeps what another program had there. */
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { basename, dirname, join } from "node:path";
import type { System } from "../system/permissions.ts";
import { quoteWord } from "../claude/settings/hooks.ts";
import { runFlags } from "./program.ts";

/** Tells what stood at the path before. A file of another program is kept as `movedTo`. */
export type Placed =
  | { readonly before: "nothing" | "ours" }
  | { readonly before: "foreign"; readonly movedTo: string };

/**
 * Replaces a program in one step: a process that starts meanwhile gets either the old program or the new one.
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

/** Writes a draft beside a path and moves it there; removes the draft when a step fails. */
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
 * Puts an executable beside a path, under a name with its version and digest, and a link to it at the path.
 *
 * The runtime of an executable opens its own file again right after the start, and a hook fails when another file has
 * taken the name by then. Behind a link, the old file keeps its name. The version before stays, since its processes may
 * be running; older versions are removed.
 * @param path The path that starts the program. On Windows, where few users may make links, it holds the file itself.
 * @throws {Error} When {@linkcode placeProgram} does.
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

/** Returns the name of our executable that the link at a path leads to; undefined when it is no such link. */
async function linkedName(path: string): Promise<string | undefined> {
  const target = await Deno.readLink(path).catch(() => "");
  if (target === "" || target !== basename(target)) return undefined;
  const isGoneButOurs = () => isVersionOf(basename(path), target);
  return await isOurs(join(dirname(path), target)).catch(isGoneButOurs) ? target : undefined;
}

function isVersionOf(base: string, name: string): boolean {
  return name.startsWith(`${base}-`) && /^[\w.+-]+-[0-9a-f]{8}$/.test(name.slice(base.length + 1));
}

async function removeOlder(path: string, keep: readonly (string | undefined)[]): Promise<void> {
  for await (const { name, isFile } of Deno.readDir(dirname(path))) {
    if (!isFile || keep.includes(name) || !isVersionOf(basename(path), name)) continue;
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

/** Tells whether a file is our launcher, which carries a mark, or a Deno executable that embeds our variable's name. */
async function isOurs(path: string): Promise<boolean> {
  const bytes = Buffer.from(await Deno.readFile(path));
  return bytes.includes(LAUNCHER_MARK) ||
    (bytes.includes("d3n0l4nd") && bytes.includes("CONCLAUDE_DB_PATH"));
}

export const LAUNCHER_MARK = "conclaude launcher, written by `deno task install`";

/** The absolute paths of the two files that a launcher starts. */
type LauncherParts = Readonly<{ deno: string; bundle: string }>;

/** Returns the files for the PATH: one script, and on Windows a second one for shells that are not POSIX. */
export function launcherFiles(
  system: System,
  parts: LauncherParts,
): { readonly name: string; readonly text: string }[] {
  if (system !== "windows") return [{ name: "conclaude", text: posixLauncher(system, parts) }];
  // On Windows, Claude Code runs hooks in Git Bash, which needs forward slashes.
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
