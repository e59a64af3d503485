/** Reads the scripts of a project where a file lists them: package.json, composer.json, deno.json. */
import { quietly } from "../../base/errors.ts";
import { joinPath, withParents } from "../../base/paths.ts";
import { readText } from "../../system/on_disk.ts";

/** The size up to which patches and scripts are read, in bytes. */
export const MAX_TEXT_BYTES = 1_048_576;

/** Returns a script with those that run before and after it, and its folder; null where the next file lists none. */
export function listedScript(
  name: string,
  { from, file, key }: Readonly<Record<"from" | "file" | "key", string>>,
  read: (path: string) => string | null,
): { readonly text: string; readonly folder: string } | null {
  const listing = withParents(from).values()
    .map((folder) => ({ folder, json: read(joinPath(folder, file)) }))
    .find(({ json }) => json !== null);
  if (listing === undefined) return null;
  const scripts = Object(Object(quietly(() => JSON.parse(listing.json!)))[key]);
  const lines = (name: string): string[] =>
    [scripts[name] ?? []].flat().map((one) => String(Object(one).command ?? one));
  const parts = [`pre${name}`, name, `post${name}`].flatMap(lines);
  return lines(name).length === 0 ? null : { text: parts.join("\n"), folder: listing.folder };
}

/** Matches a call that only runs a script of package.json: its program, the script's name, and what it passes on. */
const CALL =
  /^(npm (?:run |(?=(?:test|start|stop|restart)(?: |$)))|(?:yarn|pnpm) (?:run )?)([\w:.-]+)( -- .*)?$/;

/** A program by its path, which may be a script of the project itself. */
const BY_PATH = /(?:^|[;&|])\s*[^\s;&|]*\//m;

/** Returns what such a call runs, for a quick look; null for any other command, and where the script starts another. */
export function textOfCall(command: string, folder: string | null): string | null {
  const [, program, name, passed = ""] = CALL.exec(command) ?? [];
  if (name === undefined || folder === null) return null;
  const at = { from: folder, file: "package.json", key: "scripts" };
  const script = listedScript(name, at, (path) => readText(path, MAX_TEXT_BYTES));
  // Without a script npm does nothing; the others look for a verb or a program of this name.
  if (script === null && !program!.startsWith("npm")) return null;
  const text = script?.text ?? "";
  return BY_PATH.test(text) ? null : `${name} ; ${text.replaceAll("\n", " ; ")}${passed}`;
}
