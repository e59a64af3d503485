/** Failures of what surrounds a project: packages, services, what a database holds. No edit of its code mends them. */
import type { ObservedFacts } from "../observation.ts";
import type { Changed } from "./writing_commands.ts";

interface Lack {
  readonly says: RegExp;
  /** What has to be changed by a command that mends it. */
  readonly mendedBy: readonly Changed[];
}

const IS_UNREACHABLE =
  /\bECONNREFUSED\b|connection refused|could not connect|can(?:'t|not| not) (?:connect|reach)\b|failed to connect|connection to server .* failed|no such host|\bENOTFOUND\b|\bEAI_AGAIN\b|could not translate host name|name or service not known|is the docker daemon running/i;
const PORT_IS_TAKEN =
  /\bEADDRINUSE\b|address (?:is )?already in use|port (?:\S+ )?is already (?:in use|allocated)|port \S+ (?:is )?(?:already )?(?:in use|allocated)|bind: .*in use/i;

/** What such a failure says. A module by its path is the project's own. */
const LACKS: readonly Lack[] = [
  {
    says: IS_UNREACHABLE,
    mendedBy: ["services"],
  },
  {
    says: PORT_IS_TAKEN,
    mendedBy: ["services", "ended"],
  },
  {
    says:
      /command not found|(?:^|\/)(?:sh|dash|bash|zsh): (?:line )?(?:\d+: )?\S+: not found|No module named|ModuleNotFoundError|Cannot find (?:module|package) ['"](?![./])|Could not (?:find|resolve) (?:module|package|gem)|Module not found: .*Can't resolve ['"](?![./])|Failed to resolve import ['"](?![./~@$#])|Failed to resolve import ['"]@\w|cannot load such file -- (?![./])|error while loading shared libraries/i,
    mendedBy: ["packages"],
  },
  {
    says:
      /no such table|relation "?[\w.]+"? does not exist|table ['"`]?[\w.]+['"`]? (?:does not|doesn't) exist|no such column|column "?[\w.]+"? (?:of relation \S+ )?does not exist|database "?[\w.-]+"? does not exist|unknown database|unapplied migration|pending migration/i,
    mendedBy: ["data", "services"],
  },
];
/** Files that say what there is to be around a project: what they name a command brings. */
const OF_SURROUNDINGS =
  /(?:^|\/)(?:package\.json|[^/]*requirements[^/]*\.txt|pyproject\.toml|setup\.(?:py|cfg)|Pipfile|environment\.ya?ml|Cargo\.toml|go\.mod|\.npmrc|\.yarnrc(?:\.yml)?|Gemfile|composer\.json|mix\.exs|deno\.jsonc?|import_map\.json|\.env[^/]*|[^/]*Dockerfile[^/]*|(?:docker-)?compose[^/]*\.ya?ml|[^/]+\.sql|schema\.prisma|alembic\.ini)$|(?:^|\/)(?:migrations?|migrate|alembic)\//i;

/** What a command has to change that mends a failure of the surroundings; none for any other failure. */
export function lackedBy(
  { title, facts }: { readonly title: string; readonly facts: ObservedFacts },
): readonly Changed[] {
  const said = facts.error ?? title;
  return LACKS.find(({ says }) => says.test(said))?.mendedBy ?? [];
}

/** Whether a text says that a service could not be reached. */
export function saysUnreachable(text: string): boolean {
  return IS_UNREACHABLE.test(text);
}

/** Whether a text says that a port was not to be had. */
export function saysPortIsTaken(text: string): boolean {
  return PORT_IS_TAKEN.test(text);
}

/** Whether an edit of a file may have mended it beside such a command. */
export function isOfSurroundings(path: string): boolean {
  return OF_SURROUNDINGS.test(path);
}
