import { readSettings, type SettingsFile } from "./file.ts";
import { type Attempt, refusal } from "./settings_text.ts";

/** How often a file that another program changes meanwhile is read again. */
const MOST_ROUNDS = 20;

/**
 * Runs `act` on the file as it is now, again whenever `act` finds that it has changed and returns nothing.
 *
 * @throws UserError As `act`, and when other programs do not stop changing the file.
 */
export function withFreshFile<T>(
  attempt: Attempt,
  act: (file: SettingsFile) => T | undefined,
): T {
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const done = act(readSettings(attempt.path));
    if (done !== undefined) return done;
  }
  throw refusal(attempt, {
    why: `other programs changed the file ${MOST_ROUNDS} times while it was being edited`,
    todo: "wait until they are done",
  });
}
