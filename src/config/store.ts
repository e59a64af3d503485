/** Exports what other rooms read and write in the tables of this room. */
export {
  addTrusted,
  forgetBelow,
  keepFile,
  keptAmong,
  keptText,
  removeTrusted,
  trustedFolders,
} from "./policy_files_table.ts";
