/** Which commit another one has taken back, as git words it. */

/** `Revert "…"`; `Reapply "…"` is what takes back a revert. */
const REVERTS = /^(Revert|Reapply) "(.+)"$/;

/** The subject of the commit that one with this subject takes back; null where it takes back none. */
export function revertedSubject(subject: string | null): string | null {
  const [, verb, of] = REVERTS.exec(subject ?? "") ?? [];
  if (of === undefined) return null;
  return verb === "Reapply" ? `Revert "${of}"` : of;
}
