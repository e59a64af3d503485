/** Exports what other rooms read and write in the tables of this room. */
export { addTrusted, removeTrusted, trustedFolders } from "./trusted_folders_table.ts";
export { forgetBelow, keepFile, keptAmong, keptText } from "./kept_files_table.ts";
