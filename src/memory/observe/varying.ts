/** What an output says otherwise each time, and what says nothing of what is wrong. */

/** Times, places in memory and in files, counts, temporary folders; the first part that matches a place counts. */
const VARYING =
  /\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?Z?)?|\b\d\d:\d\d:\d\d(?:[.,]\d+)?|\b0x[\da-f]+|\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b|\/(?:tmp|var\/tmp|var\/folders|dev\/shm)\/[^\s:,'")]+|\(\d+(?:,\d+)?\)|:\d+(?::\d+)?(?!\w)|\b(?:lines?|pid|process) \d+|\b\d+(?:\.\d+)? ?(?:ms|[mµn]?s|secs?|seconds?|minutes?)\b|\b\d+ (?:passed|passing|failed|failing|errors?|warnings?|tests?)\b/gi;

/** A line without what differs from run to run. */
export function withoutVarying(line: string): string {
  return line.replace(VARYING, "#");
}
