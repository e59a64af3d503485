/** Handles paths as text, without `node:path`: importing it costs every hook about 5 ms. */

/** Returns true for `/x`, `C:\x`, `C:/x` and `\\server\x`. */
export function isAbsolutePath(path: string): boolean {
  return path.startsWith("/") || path.startsWith("\\\\") || /^[A-Za-z]:[\\/]/.test(path);
}

/** Joins `folder` and `name` with a slash, unless the folder ends with a separator. */
export function joinPath(folder: string, name: string): string {
  if (folder === "") return name;
  const last = folder[folder.length - 1];
  return last === "/" || last === "\\" ? folder + name : `${folder}/${name}`;
}

/** Returns the folder that holds `path`: the path itself for a root (`/`, `C:\`), `.` for a bare name. */
export function parentOf(path: string): string {
  const end = Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\"));
  if (end < 0) return ".";
  if (end === 0) return path.slice(0, 1);
  if (end === 2 && path[1] === ":") return path.slice(0, 3);
  return path.slice(0, end);
}

/** Lists a folder and all folders above it, the nearest first. */
export function withParents(folder: string): string[] {
  const folders = [folder];
  for (let above = parentOf(folder); above !== folders.at(-1); above = parentOf(above)) {
    folders.push(above);
  }
  return folders;
}

/** Removes the line and column that messages put behind a path: `src/a.ts:12`, `src/a.ts:12:3`. */
export function withoutLine(path: string): string {
  return path.replace(/(?<=[^:/\\]):\d+(?::\d+)?:?$/, "");
}

/** Returns a path relative to a folder; the empty text for the folder itself; null outside of it. */
export function fromFolder(folder: string | null, path: string): string | null {
  if (folder === null) return null;
  if (path === folder) return "";
  const start = folder.endsWith("/") ? folder : `${folder}/`;
  return path.startsWith(start) ? path.slice(start.length) : null;
}

export function baseName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
}

/**
 * Makes a path absolute and tidy: `~` is the home, and a relative path starts at `from`. It resolves `.`, `..` and
 * doubled separators in the text alone and follows no links.
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

/** Tells whether one of the configuration's regular expressions matches a path or a name. */
export function matchesAny(sources: readonly string[], text: string): boolean {
  return sources.some((source) => new RegExp(source, "s").test(text));
}

/** Writes the paths in a text as people read them: relative to the folder, else to the home (`~`). */
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
    (shortened, { pattern, shown }) => shortened.replace(pattern, shown),
    text,
  );
}
