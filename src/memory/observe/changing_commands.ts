/** Finds commands that change files, packages, services or data. Any other command only looks, or runs something. */
import { gitArguments } from "./git_words.ts";
import { isThrownAway, nameOf, withoutLaunchers } from "./script_words.ts";
import { type ScriptCommand, scriptCommands } from "./shell_words.ts";

interface Changing {
  /** A pattern for the program, without its folder, and its arguments, joined by blanks. */
  readonly call: RegExp;
  /** Whether what it changes lies outside of the project's files. */
  readonly isOutside: boolean;
  readonly example: string;
}

/** The first row that matches counts. */
export const CHANGES: readonly Changing[] = [
  {
    call:
      /^(?:patch|cp|ln|mkdir|chmod)\b|^tee (?!\/(?:tmp|dev)\/)|^(?:sed|perl) (?:.* )?(?:-\w*i|--in-place)/,
    isOutside: false,
    example: "sed -i s/5432/5433/ config.yaml",
  },
  {
    call: /^(?:cargo (?:fix|fmt|clean)|go (?:generate|fmt)|prisma generate)\b/,
    isOutside: false,
    example: "go generate ./...",
  },
  {
    call:
      /^(?:deno fmt|ruff format|black|isort)\b(?!.*--(?:check|diff))|^\w+ (?:.* )?(?:--(?:fix|write|apply)|-w)(?= |$)/,
    isOutside: false,
    example: "npx eslint --fix src",
  },
  {
    call:
      /^(?:jest|vitest|playwright|pytest|(?:npm|pnpm|yarn|bun) (?:run )?t(?:est\S*)?) (?:.* )?(?:-u|--update(?:-?[sS]napshots?)?|--snapshot-update)(?= |$)/,
    isOutside: false,
    example: "npm test -- -u",
  },
  {
    call:
      /^(?:npm|pnpm|yarn|bun) (?:i|install|ci|add|uninstall|remove|rm|un|update|upgrade|up|dedupe|link|rebuild)\b|^yarn$/,
    isOutside: true,
    example: "npm install left-pad",
  },
  {
    call:
      /^(?:pip3?|pipx|uv|poetry|cargo|go|deno|bundle|gem|composer|brew) (?:pip |tool |mod )?(?:add|remove|rm|install|uninstall|inject|sync|lock|update|upgrade|require|get|tidy|edit|vendor|download|cache)\b/,
    isOutside: true,
    example: "go mod tidy",
  },
  {
    call: /^(?:apt|apt-get|dnf|yum) (?:-\S+ )*install\b|^apk add\b/,
    isOutside: true,
    example: "apt-get -y install protobuf-compiler",
  },
  {
    call:
      /^(?:docker(?:-compose| compose| container)?|podman) (?:-\S+ )*(?:up|down|start|stop|restart|run|rm|kill)\b/,
    isOutside: true,
    example: "docker compose up -d",
  },
  {
    call:
      /^(?:systemctl (?:--\S+ )*|(?:colima|minikube|supabase|brew services) |(?:service|pg_ctl|pg_ctlcluster) (?:.* )?)(?:start|stop|restart|reload)\b/,
    isOutside: true,
    example: "service postgresql start",
  },
  {
    call: /^(?:redis-server|mongod)\b(?!.* (?:--version|-v)$)/,
    isOutside: true,
    example: "redis-server --port 6380",
  },
  {
    call:
      /^\S+ (?:[^-\s]\S* )?(?:[\w-]+:)?migrat(?:e|ion(?=:))[\w:-]*(?= |$)|^alembic (?:-\S+ )*(?:up|down)grade\b/,
    isOutside: true,
    example: "python manage.py migrate",
  },
  {
    call:
      /^createdb\b|^\S+ (?:[^-\s]\S* )?(?:(?:db|database|ecto)[:. ])(?:create|setup|prepare|reset|seed|push|upgrade|schema:load)\b/,
    isOutside: true,
    example: "rails db:create",
  },
  {
    call:
      /^(?:kill|pkill|killall|kill-port)\b|^fuser (?:.* )?-\w*k|^xargs (?:-\S+ )*(?:sudo )?kill\b/,
    isOutside: true,
    example: "fuser -k 5432/tcp",
  },
];
const GIT_CHANGES =
  /^(?:apply|am|cherry-pick|revert|restore|pull|merge|rebase|checkout (?:\S+ )?-- |submodule update|lfs pull)\b/;
/** `cat > a.py <<'EOF'`, `echo x >> .env`: what is printed becomes a file. */
const PRINTING: ReadonlySet<string> = new Set(["cat", "echo", "printf", "jq", "awk", "envsubst"]);
const INTO_FILE = /(?:^|[^\d&>=-])>{1,2}\s*(?![&>]|["']?\/(?:tmp|dev)\/)["'\w./~$]/;
const QUOTED = /"(?:[^"\\]|\\.)*"|'[^']*'/g;
const MAX_SOURCE_CHARS = 2_000;

export interface ChangingPart {
  /** As it was typed, its first line. */
  readonly source: string;
  /** Whether it changes what lies outside of the project's files: a package, a service, a database. */
  readonly isOutside: boolean;
}

/** The first part of a script that changes something; null when none does. */
export function changingPart(script: string): ChangingPart | null {
  for (const command of scriptCommands(script)) {
    const isOutside = changesOutside(command);
    if (isOutside === null) continue;
    return { source: command.source.split("\n", 1)[0]!.trim(), isOutside };
  }
  return null;
}

/** Whether a command changes something outside of the project's files; null where it changes nothing. */
function changesOutside({ words, source }: ScriptCommand): boolean | null {
  const git = gitArguments(words);
  if (git !== null) return GIT_CHANGES.test(git.join(" ")) ? false : null;
  const [program = "", ...args] = withoutLaunchers(words);
  const name = nameOf(program);
  if (PRINTING.has(name)) {
    const plain = source.slice(0, MAX_SOURCE_CHARS).replace(QUOTED, "''");
    return INTO_FILE.test(plain) ? false : null;
  }
  if (args.some((word) => !word.startsWith("-") && isThrownAway(word))) return null;
  const line = [name, ...args].join(" ");
  return CHANGES.find(({ call }) => call.test(line))?.isOutside ?? null;
}
