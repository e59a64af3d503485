import { quoteWord } from "../settings/hooks.ts";

/** The flags that say which transcripts are meant, as they are typed again; with a space before each. */
export function spellOutFlags(flags: {
  readonly session?: string;
  readonly project?: string;
  readonly since?: number;
  readonly transcripts?: string;
}): string {
  const { session, project, since, transcripts } = flags;
  const given: readonly (readonly [name: string, value: string | undefined])[] = [
    ["session", session],
    ["project", project],
    ["since", since === undefined ? undefined : new Date(since).toISOString()],
    ["transcripts", transcripts],
  ];
  return given.map(([name, value]) => value === undefined ? "" : ` --${name} ${quoteWord(value)}`)
    .join("");
}
