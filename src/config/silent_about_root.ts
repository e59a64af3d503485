/** The note on a configuration that does not name the key, which was `true` unless a file said otherwise in earlier versions. */
export const SILENT_ABOUT_ROOT =
  "new files directly in the project's folder are allowed: no configuration file names " +
  "`preToolUse.preventRootAdditions`, which is off by default now. Write `true` to refuse them, `false` to settle it";
