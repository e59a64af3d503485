/** The Claude process that a session was opened by. */
export interface SessionProcess {
  readonly sessionId: string;
  readonly claudePid: number;
  /** Tells the process from a later one with the same number; null when it was not recorded. */
  readonly claudeProcess: string | null;
}

/** The state of a process now. */
export interface ProcessNow {
  readonly alive: boolean;
  readonly mark: string | null;
}

/**
 * The ids of sessions whose process is dead, has a successor with the same number, or runs another session now. A session
 * whose process is not known counts as alive.
 *
 * @param ownPid The process that opens a session at this moment, if one does.
 */
export function goneSessions(
  sessions: readonly SessionProcess[],
  processes: ReadonlyMap<number, ProcessNow>,
  ownPid: number | null,
): string[] {
  return sessions.filter(({ claudePid, claudeProcess }) => {
    if (claudePid === ownPid) return true;
    const now = processes.get(claudePid);
    if (now === undefined) return false;
    return !now.alive ||
      (claudeProcess !== null && now.mark !== null && now.mark !== claudeProcess);
  }).map(({ sessionId }) => sessionId);
}
