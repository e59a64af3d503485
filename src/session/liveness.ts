/** What is needed of a session to tell whether its Claude process still runs it. */
export interface SessionProcess {
  readonly sessionId: string;
  readonly claudePid: number;
  /** The mark that the process had when the session was opened; null when it was not recorded. */
  readonly claudeProcess: string | null;
}

/** What is known of a process now. */
export interface ProcessNow {
  readonly alive: boolean;
  readonly mark: string | null;
}

/**
 * The sessions whose process is gone: it is dead, its number belongs to another process now, or it runs another
 * session. What cannot be told counts as alive.
 *
 * @param ownPid The process that opens a session at this moment, if one does.
 * @returns Session ids.
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
