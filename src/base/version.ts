/** The version of this program. `conclaude --version` prints it; migrated databases and exports name it. */
export const VERSION = "0.1.0";
