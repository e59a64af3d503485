/** Replaces a forgotten text. */
export const FORGOTTEN_MARK = "[forgotten]";
