/** Paths as text, without `node:path`: importing that costs every hook about 5 ms. */

/** True for `/x`, `C:\x`, `C:/x` and `\\server\x`. */
export function isAbsolutePath(path: string): boolean {
  return path.startsWith("/") || path.startsWith("\\\\") || /^[A-Za-z]:[\\/]/.test(path);
}

/** `folder` and `name` with one separator between; the folder's own style of separator is kept. */
export function joinPath(folder: string, name: string): string {
  if (folder === "") return name;
  const last = folder[folder.length - 1];
  return last === "/" || last === "\\" ? folder + name : `${folder}/${name}`;
}

/** The folder that holds `path`: the path itself for a root (`/`, `C:\`), `.` for a bare name. */
export function parentOf(path: string): string {
  const end = Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\"));
  if (end < 0) return ".";
  if (end === 0) return path.slice(0, 1);
  if (end === 2 && path[1] === ":") return path.slice(0, 3);
  return path.slice(0, end);
}

/** A folder and all that it lies in, the nearest first. */
export function withParents(folder: string): string[] {
  const folders = [folder];
  for (let above = parentOf(folder); above !== folders.at(-1); above = parentOf(above)) {
    folders.push(above);
  }
  return folders;
}

/** A path without the line and column that messages put behind it: `src/a.ts:12`, `src/a.ts:12:3`. */
export function withoutLine(path: string): string {
  return path.replace(/(?<=[^:/\\]):\d+(?::\d+)?:?$/, "");
}

export function baseName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
}

/**
 * An absolute, tidy path: `~` is the home, a relative path starts at `from`, and `.`, `..` and doubled separators
 * are resolved in the text alone (links are not followed).
 */
export function resolvePath(
  path: string,
  from: { readonly folder: string; readonly home?: string | undefined },
): string {
  let full = path;
  if ((full === "~" || full.startsWith("~/")) && from.home) full = from.home + full.slice(1);
  if (!isAbsolutePath(full)) full = joinPath(from.folder, full);
  const drive = /^[A-Za-z]:/.exec(full)?.[0] ?? "";
  const parts: string[] = [];
  for (const part of full.slice(drive.length).split(/[\\/]+/)) {
    if (part === "" || part === ".") continue;
    if (part === "..") parts.pop();
    else parts.push(part);
  }
  return `${drive}/${parts.join("/")}`;
}

/** True when one of the regular expression sources of the configuration matches a path or a name. */
export function matchesAny(sources: readonly string[], text: string): boolean {
  return sources.some((source) => new RegExp(source, "s").test(text));
}

/** Paths in a text as people read them: relative to the folder, else to the home (`~`). */
export function shortPaths(
  text: string,
  { folder, home }: { readonly folder: string; readonly home: string | null },
): string {
  if (!text.includes("/")) return text;
  const below = (path: string | null, shown: string) =>
    path === null || path.length < 2
      ? []
      : [{ pattern: new RegExp("(?<=^|[\\s\"'`=(])" + RegExp.escape(path) + "/", "g"), shown }];
  return [...below(folder, ""), ...below(home, "~/")].reduce(
    (told, { pattern, shown }) => told.replace(pattern, shown),
    text,
  );
}
