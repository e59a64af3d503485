/** What stands where a forgotten text was. */
export const FORGOTTEN_MARK = "[forgotten]";
