/** Commands that change what others find: files, packages, services. One that is not told here only looks, or runs something. */
import { gitArguments } from "./git_words.ts";
import { nameOf, withoutLaunchers } from "./launchers.ts";
import { isThrownAway } from "./script_words.ts";
import { type ScriptCommand, scriptCommands } from "./shell_words.ts";

/** By the program: what its arguments, joined by blanks, have to look like. What only takes away mends nothing. */
const WRITES: Readonly<Record<string, RegExp>> = {
  sed: /(?:^| )(?:-\w*i|--in-place)/,
  perl: /(?:^| )-\w*i/,
  patch: /^/,
  tee: /^(?!\/(?:tmp|dev)\/)/,
  cp: /^/,
  ln: /^/,
  mkdir: /^/,
  chmod: /^/,
  npm: /^(?:i|install|ci|add|uninstall|remove|rm|un|update|up|dedupe|link|rebuild)\b/,
  pnpm: /^(?:i|install|add|remove|rm|update|up|dedupe|link|rebuild)\b/,
  yarn: /^(?:$|install|add|remove|upgrade|up|dedupe|link)\b/,
  bun: /^(?:i|install|add|remove|update|link)\b/,
  pip: /^(?:install|uninstall)\b/,
  pip3: /^(?:install|uninstall)\b/,
  uv: /^(?:add|remove|sync|lock|pip (?:install|sync|uninstall))\b/,
  poetry: /^(?:add|remove|install|lock|update)\b/,
  cargo: /^(?:add|rm|remove|update|fix|fmt|install|clean)\b/,
  go: /^(?:get|mod (?:tidy|edit|vendor|download)|generate|fmt|install)\b/,
  gofmt: /-w\b/,
  deno: /^(?:add|remove|install|fmt(?!.*--check)|cache)\b/,
  bundle: /^(?:install|update|add)\b/,
  composer: /^(?:install|update|require|remove)\b/,
  apt: /^(?:-\S+ )*install\b/,
  "apt-get": /^(?:-\S+ )*install\b/,
  apk: /^add\b/,
  brew: /^(?:install|upgrade)\b/,
  ruff: /^(?:format(?!.*--(?:check|diff))|.*--fix\b)/,
  black: /^(?!.*--(?:check|diff))/,
  isort: /^(?!.*--(?:check|diff))/,
  eslint: /--fix\b/,
  stylelint: /--fix\b/,
  prettier: /(?:^| )(?:-w|--write)\b/,
  biome: /--(?:write|fix|apply)\b/,
  prisma: /^(?:generate|migrate|db push)\b/,
  docker: /^(?:compose (?:-\S+ )*(?:up|start|restart)|start|restart|run)\b/,
  "docker-compose": /^(?:up|start|restart)\b/,
  systemctl: /^(?:--\S+ )*(?:start|restart|reload)\b/,
  service: / (?:start|restart)$/,
};
const GIT_WRITES =
  /^(?:apply|am|cherry-pick|revert|restore|pull|merge|rebase|checkout (?:\S+ )?-- |submodule update|lfs pull)\b/;
/** `cat > a.py <<'EOF'`, `echo x >> .env`: what is printed becomes a file. */
const PRINTING: ReadonlySet<string> = new Set(["cat", "echo", "printf", "jq", "awk", "envsubst"]);
const INTO_FILE = /(?:^|[^\d&>=-])>{1,2}\s*(?![&>]|["']?\/(?:tmp|dev)\/)["'\w./~$]/;
const QUOTED = /"(?:[^"\\]|\\.)*"|'[^']*'/g;
const MAX_SOURCE_CHARS = 2_000;

/** The first part of a script that changes something, as it was typed; null when none does. */
export function writingPart(script: string): string | null {
  const part = scriptCommands(script).find(writes);
  return part === undefined ? null : part.source.split("\n", 1)[0]!.trim();
}

function writes({ words, source }: ScriptCommand): boolean {
  const git = gitArguments(words);
  if (git !== null) return GIT_WRITES.test(git.join(" "));
  const [program = "", ...args] = withoutLaunchers(words[0] === "sudo" ? words.slice(1) : words);
  const name = nameOf(program);
  if (PRINTING.has(name)) {
    return INTO_FILE.test(source.slice(0, MAX_SOURCE_CHARS).replace(QUOTED, "''"));
  }
  if (!Object.hasOwn(WRITES, name)) return false;
  const files = args.filter((word) => !word.startsWith("-"));
  if (files.some(isThrownAway)) return false;
  return WRITES[name]!.test(args.join(" "));
}
