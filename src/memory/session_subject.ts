/** What the title of a summary says besides what the session was about. */
const OF_TITLE = /^Session: | \([^()]*\)$/g;

/** What a session was about, of the title of its summary. */
export function subjectOf(title: string): string {
  return title.replace(OF_TITLE, "");
}
