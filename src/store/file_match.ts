/** Which files of observations a path means. */
import { isAbsolutePath } from "../paths.ts";

/** A condition of SQL with one parameter, and its value. */
export interface FileMatch {
  readonly sql: string;
  readonly value: string;
}

/** SQL for the whole path of a name that is told from a folder; NULL where the folder is not known. */
export function wholeName(name: string, folder: string): string {
  return `iif(${name} GLOB '/*' OR ${name} GLOB '[A-Za-z]:[/\\]*', ${name}, ${folder} || '/' || ${name})`;
}

/** The whole path of the file `t.path` of an observation `o`: most are told from their project's folder. */
export const WHOLE_PATH = wholeName(
  "t.path",
  "iif(substr(o.project, -5) = '/.git', substr(o.project, 1, length(o.project) - 5), o.project)",
);

/**
 * Whether `t.path`, of an observation `o`, is a file or lies in a folder.
 *
 * @param file A whole path, which is one of one project; any other is a part of such a path, of whichever project.
 */
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
