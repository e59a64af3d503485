/** Builds SQL that matches the files of observations with a path. */
import { isAbsolutePath } from "../base/paths.ts";

/** A condition of SQL with one parameter, and its value. */
export type FileMatch = Readonly<{ sql: string; value: string }>;

/** Returns SQL for the whole path of a name in a folder; NULL when the folder is not known. */
export function wholeName(name: string, folder: string): string {
  return `iif(${name} GLOB '/*' OR ${name} GLOB '[A-Za-z]:[/\\]*', ${name}, ${folder} || '/' || ${name})`;
}

/** SQL that is true when `touched.name` is one of some paths, or lies under one; its parameter is the list in JSON. */
export const UNDER_A_FILE = `EXISTS (SELECT 1 FROM json_each(?) AS wanted
            WHERE touched.name = wanted.value
               OR substr(touched.name, 1, length(wanted.value) + 1) = wanted.value || '/')`;

/** Returns SQL for the names in a JSON list, as they are and as whole paths, in rows of `name`. */
export function namesOfList(list: string, folder: string): string {
  return `SELECT value AS name FROM json_each(${list})
           UNION ALL
          SELECT ${wholeName("value", folder)} FROM json_each(${list})`;
}

/** SQL for the whole path of the file `t.path` of an observation `o`; most are relative to the project's folder. */
export const WHOLE_PATH = wholeName(
  "t.path",
  "iif(substr(o.project, -5) = '/.git', substr(o.project, 1, length(o.project) - 5), o.project)",
);

/** Returns SQL that is true when `t.path` is a file or lies in a folder. @param file A whole path, or a part of one. */
export function fileMatch(file: string): FileMatch {
  if (isAbsolutePath(file)) {
    return {
      sql: `instr(${WHOLE_PATH} || '/', ? || '/') = 1`,
      value: file.replace(/(?<=.)\/+$/, ""),
    };
  }
  return {
    sql: "instr('/' || t.path || '/', '/' || ? || '/') > 0",
    value: file.replace(/^\.?\/+|\/+$/g, ""),
  };
}
