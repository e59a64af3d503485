/** What other rooms read and write of the tables of this one. */
export { addTrusted, removeTrusted, trustedFolders } from "./trusted_folders_table.ts";
export { forgetBelow, keepFile, keptAmong, keptText } from "./kept_files_table.ts";
