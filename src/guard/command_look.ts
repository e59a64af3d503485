/** A quick look at the text of a shell command before it is parsed. Runs before every shell command. */
import { fixedHead, type GuardPolicy } from "./guard_policy.ts";

/**
 * Signs that a command destroys, writes, reads code, unpacks, names an output file, or starts what cannot be seen in the
 * text.
 */
const TELLING: readonly string[] = (
  ">|$|`|{|*|?|[| -c| -e| -E|<<|rm|mv|cp|tee|sed|ln |dd|install|sync|touch|truncate|shred|" +
  "link|push|clean|reset|switch|mkfs|eval|xargs|find|sh|cmd|DROP|drop|Drop|TRUNCATE|conclaude|" +
  " plugin|perl|curl|wget|sort|split|rename|xxd|clone| init|git-init|merge-file|patch|" +
  "checkout|restore|stash|chmod|chown|chgrp|setfacl|chattr|sqlite|litecli|sqlcipher|openssl|" +
  "uniq|archive|--output|mkfifo|mktemp|python|node|tsx|ruby|php|lua|bun|deno|Rscript|source|" +
  ". |alias|foreach|bisect|rebase| guard | req |tar |unzip|cpio|apply| am |zip|xz|awk|sponge|" +
  "prettier|--fix|biome|ruff|black|isort|autopep8|yapf|fmt|goimports|clang-format|rubocop|yq|" +
  "sd |2unix|unix2|sops|vim|vi -|vi +|ex -|ed -|rimraf| del|trash|gpg|s3 |gsutil|7z| -o|--out|" +
  "--file|dump"
).split("|");

/**
 * Whether a rule could mean a command, so that it has to be parsed. Quotes and backslashes are ignored, since the shell
 * removes them.
 */
export function mayConcernCommands(policy: GuardPolicy, command: string): boolean {
  const plain = command.replace(/['"\\\n]/g, "");
  if (TELLING.some((text) => plain.includes(text))) return true;
  return policy.tools.some((rule) => {
    if (rule.about !== "command") return false;
    if (rule.action === "allow") return true;
    const [word = ""] = fixedHead(rule.glob).split(/\s/, 1);
    return word === "" || plain.includes(word);
  });
}
