import { Buffer } from "node:buffer";
import { basename, dirname, join } from "node:path";
import { LAUNCHER_MARK } from "./launcher.ts";

/** What was in the place before. `movedTo`: a file that is not ours is kept under another name. */
export type Placed =
  | { readonly before: "nothing" }
  | { readonly before: "ours" }
  | { readonly before: "foreign"; readonly movedTo: string };

/**
 * Puts a program in its place, whole or not at all: a process that starts it meanwhile gets the old or the new one.
 *
 * @param content Its text, or the path of the file to copy.
 * @throws {Error} When the folder cannot be written, or the place is a folder.
 */
export async function placeProgram(
  path: string,
  content: { readonly text: string } | { readonly copyOf: string },
): Promise<Placed> {
  await Deno.mkdir(dirname(path), { recursive: true });
  const draft = join(dirname(path), `.${basename(path)}.${crypto.randomUUID()}`);
  try {
    if ("text" in content) await Deno.writeTextFile(draft, content.text, { createNew: true });
    else await Deno.copyFile(content.copyOf, draft);
    if (Deno.build.os !== "windows") await Deno.chmod(draft, 0o755);
    const placed = await makeRoom(path);
    await Deno.rename(draft, path);
    return placed;
  } catch (thrown) {
    await Deno.remove(draft).catch(() => {});
    throw thrown;
  }
}

async function makeRoom(path: string): Promise<Placed> {
  const found = await Deno.lstat(path).catch((thrown) => {
    if (thrown instanceof Deno.errors.NotFound) return null;
    throw thrown;
  });
  if (found === null) return { before: "nothing" };
  if (found.isDirectory) throw new Error(`${path} is a folder`);
  if (found.isFile && await isOurs(path)) return { before: "ours" };
  const movedTo = await freeName(`${path}.before-conclaude`);
  await Deno.rename(path, movedTo);
  return { before: "foreign", movedTo };
}

/** Our launcher carries its mark; an executable of ours was made by Deno and embeds the names that it may read. */
async function isOurs(path: string): Promise<boolean> {
  const bytes = Buffer.from(await Deno.readFile(path));
  return bytes.includes(LAUNCHER_MARK) ||
    (bytes.includes("d3n0l4nd") && bytes.includes("CONCLAUDE_DB_PATH"));
}

async function freeName(wanted: string): Promise<string> {
  for (let number = 1;; number++) {
    const name = number === 1 ? wanted : `${wanted}-${number}`;
    const isFree = await Deno.lstat(name).then(() => false, () => true);
    if (isFree) return name;
  }
}
