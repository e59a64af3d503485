/** Finds commands that change files, packages, services or data. Any other command only looks, or runs something. */
import { gitArguments } from "./git_words.ts";
import { isThrownAway, nameOf, withoutLaunchers } from "./script_words.ts";
import { type ScriptCommand, scriptCommands } from "./shell_words.ts";

/** What a command changes; `ended` means that it stops a process. */
type Changed = "files" | "packages" | "services" | "data" | "ended";

const UPDATES_SNAPSHOTS = /(?:^| )(?:-u|--update|--updateSnapshot|--update-snapshots)(?= |$)/;
const SCRIPT_UPDATES = new RegExp(
  `^(?:run )?(?:t|test\\S*)(?: .*)?${UPDATES_SNAPSHOTS.source}`,
);

/** For each kind of change and each program: a pattern for the arguments, joined by blanks. */
const CHANGES: Readonly<Record<Changed, Readonly<Record<string, RegExp>>>> = {
  files: {
    sed: /(?:^| )(?:-\w*i|--in-place)/,
    perl: /(?:^| )-\w*i/,
    patch: /^/,
    tee: /^(?!\/(?:tmp|dev)\/)/,
    cp: /^/,
    ln: /^/,
    mkdir: /^/,
    chmod: /^/,
    cargo: /^(?:fix|fmt|clean)\b/,
    go: /^(?:generate|fmt)\b/,
    gofmt: /-w\b/,
    deno: /^fmt(?!.*--check)\b/,
    ruff: /^(?:format(?!.*--(?:check|diff))|.*--fix\b)/,
    black: /^(?!.*--(?:check|diff))/,
    isort: /^(?!.*--(?:check|diff))/,
    eslint: /--fix\b/,
    stylelint: /--fix\b/,
    prettier: /(?:^| )(?:-w|--write)\b/,
    biome: /--(?:write|fix|apply)\b/,
    prisma: /^generate\b/,
    jest: UPDATES_SNAPSHOTS,
    vitest: UPDATES_SNAPSHOTS,
    playwright: UPDATES_SNAPSHOTS,
    pytest: /(?:^| )--snapshot-update\b/,
    npm: SCRIPT_UPDATES,
    pnpm: SCRIPT_UPDATES,
    yarn: SCRIPT_UPDATES,
    bun: SCRIPT_UPDATES,
  },
  packages: {
    npm: /^(?:i|install|ci|add|uninstall|remove|rm|un|update|up|dedupe|link|rebuild)\b/,
    pnpm: /^(?:i|install|add|remove|rm|update|up|dedupe|link|rebuild)\b/,
    yarn: /^(?:$|install|add|remove|upgrade|up|dedupe|link)\b/,
    bun: /^(?:i|install|add|remove|update|link)\b/,
    pip: /^(?:install|uninstall)\b/,
    pip3: /^(?:install|uninstall)\b/,
    pipx: /^(?:install|inject|upgrade)\b/,
    uv: /^(?:add|remove|sync|lock|pip (?:install|sync|uninstall)|tool install)\b/,
    poetry: /^(?:add|remove|install|lock|update)\b/,
    cargo: /^(?:add|rm|remove|update|install)\b/,
    go: /^(?:get|mod (?:tidy|edit|vendor|download)|install)\b/,
    deno: /^(?:add|remove|install|cache)\b/,
    bundle: /^(?:install|update|add)\b/,
    gem: /^(?:install|update)\b/,
    composer: /^(?:install|update|require|remove)\b/,
    apt: /^(?:-\S+ )*install\b/,
    "apt-get": /^(?:-\S+ )*install\b/,
    dnf: /^(?:-\S+ )*install\b/,
    yum: /^(?:-\S+ )*install\b/,
    apk: /^add\b/,
    brew: /^(?:install|upgrade)\b/,
  },
  services: {
    docker:
      /^(?:compose (?:-\S+ )*(?:up|down|start|stop|restart|rm|kill)|(?:container )?(?:start|stop|restart|run|rm|kill))\b/,
    "docker-compose": /^(?:-\S+ )*(?:up|down|start|stop|restart|rm|kill)\b/,
    podman: /^(?:start|stop|restart|run|rm|kill)\b/,
    systemctl: /^(?:--\S+ )*(?:start|stop|restart|reload)\b/,
    service: / (?:start|stop|restart)$/,
    brew: /^services (?:start|stop|restart)\b/,
    pg_ctl: /(?:^| )(?:start|stop|restart)\b/,
    pg_ctlcluster: / (?:start|stop|restart)\b/,
    "redis-server": /^(?!.*(?:--version|-v$))/,
    mongod: /^(?!--version)/,
    colima: /^(?:start|restart)\b/,
    minikube: /^start\b/,
    supabase: /^(?:start|stop)\b/,
  },
  data: {
    createdb: /^/,
    alembic: /^(?:-\S+ )*(?:upgrade|downgrade)\b/,
    "manage.py": /^(?:migrate|loaddata)\b/,
    python: /^(?:\S*\/)?manage\.py (?:migrate|loaddata)\b/,
    python3: /^(?:\S*\/)?manage\.py (?:migrate|loaddata)\b/,
    flask: /\bdb upgrade\b/,
    rails: /^db:(?:migrate|create|setup|prepare|reset|seed|schema:load|test:prepare)\b/,
    rake: /^db:(?:migrate|create|setup|prepare|reset|seed|schema:load|test:prepare)\b/,
    artisan: /^migrate\b/,
    php: /^artisan migrate\b/,
    mix: /^ecto\.(?:create|migrate|setup|reset)\b/,
    prisma: /^(?:migrate|db (?:push|seed))\b/,
    knex: /^(?:migrate:(?:latest|up)|seed:run)\b/,
    sequelize: /^db:(?:migrate|create|seed)/,
    "sequelize-cli": /^db:(?:migrate|create|seed)/,
    "drizzle-kit": /^(?:push|migrate)\b/,
    diesel: /^(?:migration run|setup|database (?:setup|reset))\b/,
    sqlx: /^(?:migrate run|database (?:create|setup|reset))\b/,
    flyway: /(?:^| )migrate\b/,
    dbmate: /(?:^| )(?:up|migrate)\b/,
    npm: /^run \S*migrat/,
    pnpm: /^(?:run )?\S*migrat/,
    yarn: /^(?:run )?\S*migrat/,
    make: /^\S*migrat\S*$/,
  },
  ended: {
    kill: /^/,
    pkill: /^/,
    killall: /^/,
    fuser: /(?:^| )-\w*k/,
    "kill-port": /^/,
    xargs: /^(?:-\S+ )*(?:sudo )?kill\b/,
  },
};
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
    const changed = changedBy(command);
    if (changed === null) continue;
    return { source: command.source.split("\n", 1)[0]!.trim(), isOutside: changed !== "files" };
  }
  return null;
}

function changedBy({ words, source }: ScriptCommand): Changed | null {
  const git = gitArguments(words);
  if (git !== null) return GIT_CHANGES.test(git.join(" ")) ? "files" : null;
  const [program = "", ...args] = withoutLaunchers(words[0] === "sudo" ? words.slice(1) : words);
  const name = nameOf(program);
  if (PRINTING.has(name)) {
    const plain = source.slice(0, MAX_SOURCE_CHARS).replace(QUOTED, "''");
    return INTO_FILE.test(plain) ? "files" : null;
  }
  const line = args.join(" ");
  const [changed = null] = (Object.keys(CHANGES) as Changed[]).filter((kind) =>
    Object.hasOwn(CHANGES[kind], name) && CHANGES[kind][name]!.test(line)
  );
  const isNobodys = args.some((word) => !word.startsWith("-") && isThrownAway(word));
  return isNobodys ? null : changed;
}
