/** Files and folders, as the runtime offers them. Other rooms import these names and never name the runtime. */

export const {
  chmodSync,
  chownSync,
  copyFile,
  copyFileSync,
  linkSync,
  lstatSync,
  makeTempDir,
  makeTempDirSync,
  makeTempFileSync,
  mkdir,
  mkdirSync,
  openSync,
  readDirSync,
  readFile,
  readFileSync,
  readLink,
  readLinkSync,
  readTextFile,
  readTextFileSync,
  realPath,
  realPathSync,
  remove,
  removeSync,
  rename,
  renameSync,
  SeekMode,
  stat,
  statSync,
  symlink,
  truncateSync,
  utimeSync,
  writeFile,
  writeFileSync,
  writeTextFile,
  writeTextFileSync,
} = Deno;

export type FsFile = Deno.FsFile;
export type FileInfo = Deno.FileInfo;
export type DirEntry = Deno.DirEntry;

/** Whether a call failed because there is no such file or folder. */
export function isNotFound(error: unknown): error is Error {
  return error instanceof Deno.errors.NotFound;
}

/** Whether a call failed because the file or folder is there already. */
export function isAlreadyExists(error: unknown): error is Error {
  return error instanceof Deno.errors.AlreadyExists;
}

/** Whether the operating system refused the call. */
export function isPermissionDenied(error: unknown): error is Error {
  return error instanceof Deno.errors.PermissionDenied;
}

/** Whether the program was started without the permission for the call. */
export function isNotCapable(error: unknown): error is Error {
  return error instanceof Deno.errors.NotCapable;
}

/** Whether a part of the path is a file where a folder is needed. */
export function isNotADirectory(error: unknown): error is Error {
  return error instanceof Deno.errors.NotADirectory;
}
