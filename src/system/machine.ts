/** The machine, the user, and the program that runs. */

export const { memoryUsage } = Deno;

/** The user's number; null on Windows. */
export const userId = Deno.uid;
/** The group's number; null on Windows. */
export const groupId = Deno.gid;

/** `linux`, `darwin`, `windows`, … */
export const OS = Deno.build.os;
/** As `x86_64-unknown-linux-gnu`. */
export const TARGET = Deno.build.target;
/** Whether the program is one executable. */
export const IS_STANDALONE = Deno.build.standalone;
export const RUNTIME_VERSION = Deno.version.deno;
