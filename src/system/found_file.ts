/** Reads files of other tools; a file that cannot be read is returned with the reason. */
import { messageOf } from "../base/errors.ts";
import { joinPath } from "../base/paths.ts";
import { saysMissing } from "./files.ts";

export type FoundFile =
  & { readonly path: string }
  & ({ readonly text: string } | { readonly text: null; readonly problem: string });

const MAX_MIB = 256;

/** Reads a file; undefined when there is none. */
export function readFound(path: string): FoundFile | undefined {
  const unread = (problem: string): FoundFile => ({ path, text: null, problem });
  try {
    // Reading a pipe would wait for ever.
    const { isFile, size } = Deno.statSync(path);
    if (!isFile) return unread("it is not a regular file");
    if (size > MAX_MIB << 20) return unread(`it has ${size} bytes; the limit is ${MAX_MIB} MiB`);
    const text = new TextDecoder("utf-8", { fatal: true }).decode(Deno.readFileSync(path));
    return { path, text };
  } catch (thrown) {
    if (thrown instanceof TypeError) return unread("it is not UTF-8");
    return saysMissing(thrown) ? undefined : unread(messageOf(thrown));
  }
}

/** Lists the files of a folder by name; a folder that cannot be read counts as a file that cannot be read. */
export function readFolder(folder: string, names: RegExp): FoundFile[] {
  let found: string[];
  try {
    found = Array.from(Deno.readDirSync(folder), ({ name }) => name);
  } catch (thrown) {
    return saysMissing(thrown) ? [] : [{ path: folder, text: null, problem: messageOf(thrown) }];
  }
  return found.filter((name) => names.test(name) && !name.startsWith(".")).sort()
    .flatMap((name) => readFound(joinPath(folder, name)) ?? []);
}
