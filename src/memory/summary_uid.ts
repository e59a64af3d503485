/** The uid of the summary that is made of a session here; one that was imported has another, and cannot be made anew. */
export function summaryUid(sessionId: string): string {
  return `summary/${sessionId}`;
}
