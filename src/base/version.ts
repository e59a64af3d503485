/** The version of this program. `conclaude --version` prints it; config cache entries and backups carry it. */
export const VERSION = "0.1.0";
