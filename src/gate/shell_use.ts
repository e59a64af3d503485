/** What is loaded for a shell command alone: it is taken apart, and the files are found that its words stand for. */
export { judgeBash, readUses } from "../guard/bash.ts";
export { MAX_VISITS } from "../project/folder_files.ts";
export { lookAtFiles } from "../project/shell_files.ts";
