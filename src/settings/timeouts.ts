/** How long Claude Code waits for a hook, and how much of that a hook may spend on commands of the configuration. */

/** Claude Code's own default of 600 seconds would hold a turn for ten minutes. */
const USUAL_SECONDS = 10;

/** Events at which commands of the configuration are run. A person waits for a prompt, so that one gets less. */
const SECONDS_BY_EVENT: Readonly<Record<string, number>> = {
  Stop: 600,
  SubagentStop: 600,
  UserPromptSubmit: 30,
};

/** How long Claude Code is told to let the drain after a turn run, in seconds. Nobody waits for it. */
export const DRAIN_TIMEOUT_SECONDS = 60;

/** What is kept of it for ending a command, and for the database, in seconds. */
const RESERVE_SECONDS = 15;

/** How long Claude Code is told to wait for the hook of an event, in seconds. */
export function hookTimeoutSeconds(event: string): number {
  return SECONDS_BY_EVENT[event] ?? USUAL_SECONDS;
}

/** When all commands of an event must be done, in milliseconds since the hook started; 0 where there are none. */
export function commandDeadlineMs(event: string): number {
  return (hookTimeoutSeconds(event) - RESERVE_SECONDS) * 1000;
}
