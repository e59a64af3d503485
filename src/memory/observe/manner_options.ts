/** Options that say how a tool goes about its work, or what it prints of it, and not what it does. One row a kind of tool. */

interface Manner {
  /** The tools, at the beginning of a command. */
  readonly of: RegExp;
  readonly options: RegExp;
  /** Options whose value is the next word, where that is a number. */
  readonly counted?: RegExp;
  /** Those of them by which it may get through where it failed without. */
  readonly mends?: RegExp;
}

const VERBOSE = "-v+|-q+|--verbose|--quiet|--silent";

const MANNERS: readonly Manner[] = [
  {
    of: /^(?:npm|pnpm|yarn|bun) (?:install|i|ci|add)\b|^yarn$/,
    options: exactly(
      `${VERBOSE}|-s|-f|--force|--legacy-peer-deps|--strict-peer-deps|--no-audit|--no-fund|--no-progress|` +
        "--prefer-offline|--offline|--ignore-engines|--network-timeout|--loglevel=\\w+|--foreground-scripts|" +
        "--shamefully-hoist|--non-interactive",
    ),
    counted: exactly("--network-timeout"),
    mends: exactly(
      "--force|--legacy-peer-deps|--(?:no-)?strict-peer-deps|--ignore-engines|--prefer-offline|--offline|" +
        "--network-timeout|--shamefully-hoist",
    ),
  },
  {
    of: /^(?:g?make|ninja)\b/,
    options: exactly(
      "-j\\d*|--jobs(?:=\\d+)?|-k|--keep-going|-s|--silent|-B|--always-make|-w|VERBOSE=1|V=1",
    ),
    counted: exactly("-j|--jobs"),
    mends: exactly("--always-make"),
  },
  {
    of: /^cmake --build\b/,
    options: exactly("-j\\d*|--parallel(?:=\\d+)?|-v|--verbose|--clean-first"),
    counted: exactly("-j|--parallel"),
    mends: exactly("--clean-first"),
  },
  {
    of: /^cargo (?:build|b|check|c|clippy|run|r)\b/,
    options: exactly(`${VERBOSE}|-j\\d*|--jobs(?:=\\d+)?|--keep-going|--offline|--locked`),
    counted: exactly("-j|--jobs"),
    mends: exactly("--offline|--locked"),
  },
  {
    of: /^go (?:build|vet|install|mod)\b/,
    options: exactly("-v|-x|-a|-work"),
    mends: exactly("-a"),
  },
  {
    of: /^(?:\S*\/)?(?:gradlew?|gradlew\.bat)\b/,
    options: exactly(
      "-q|-i|-d|-s|-S|--quiet|--info|--debug|--stacktrace|--full-stacktrace|--no-daemon|--daemon|--console=\\w+|" +
        "--rerun-tasks|--no-build-cache|--build-cache|--parallel|--continue|--offline|--scan|" +
        "--refresh-dependencies|--warning-mode=\\w+",
    ),
    mends: exactly("--no-daemon|--rerun-tasks|--no-build-cache|--offline|--refresh-dependencies"),
  },
  {
    of: /^(?:\S*\/)?mvnw?\b/,
    options: exactly(
      "-q|-B|-e|-X|-U|-o|-ntp|-T\\w*|--quiet|--batch-mode|--errors|--debug|--update-snapshots|--offline|" +
        "--no-transfer-progress",
    ),
    counted: exactly("-T"),
    mends: exactly("-U|--update-snapshots|-o|--offline"),
  },
  {
    of: /^dotnet (?:build|restore|publish|run)\b/,
    options: exactly(
      "--nologo|--no-incremental|-v:?\\w*|--verbosity=\\w+|--force|--disable-parallel",
    ),
    mends: exactly("--no-incremental|--force|--disable-parallel"),
  },
  {
    of:
      /^(?:uv )?pip3? install\b|^python3? -m pip install\b|^(?:poetry|pipenv|uv) (?:install|sync|lock)\b/,
    options: exactly(
      `${VERBOSE}|--no-cache-dir|--no-cache|--user|--break-system-packages|--force-reinstall|--ignore-installed|` +
        "--disable-pip-version-check|--prefer-binary|--no-interaction|--no-input|--refresh",
    ),
    mends: exactly(
      "--no-cache-dir|--no-cache|--user|--break-system-packages|--force-reinstall|--ignore-installed|" +
        "--prefer-binary|--refresh",
    ),
  },
  {
    of: /^(?:bundle|composer|pod) (?:install|update)\b/,
    options: exactly(
      `${VERBOSE}|--repo-update|--no-interaction|-n|--no-progress|--jobs(?:=\\d+)?|-j\\d*`,
    ),
    counted: exactly("--jobs|-j"),
    mends: exactly("--repo-update"),
  },
  {
    of: /^(?:npx |pnpm (?:exec )?|yarn |bunx )?(?:tsc|vue-tsc|eslint|vite build|next build)\b/,
    options: exactly(
      "--pretty|--noErrorTruncation|--quiet|--color|--no-color|--cache|--no-cache|--force|--debug",
    ),
    mends: exactly("--no-cache|--force"),
  },
  {
    of: /^(?:docker|podman)(?: compose|-compose)? (?:buildx )?build\b/,
    options: exactly("--no-cache|--pull|--progress=\\w+|-q|--quiet"),
    mends: exactly("--no-cache|--pull"),
  },
  {
    of: /^gh pr create\b/,
    options: exactly("-d|--draft"),
    mends: exactly("--draft"),
  },
  {
    of: /^(?:python[\d.]* )?(?:\S*\/)?manage\.py migrate\b/,
    options: exactly("--run-syncdb|--noinput|--no-input"),
    mends: exactly("--run-syncdb"),
  },
  {
    of: /^(?:terraform|tofu) \w+/,
    options: exactly("-no-color|-input=false|-compact-warnings|-parallelism=\\d+"),
  },
];

function exactly(options: string): RegExp {
  return new RegExp(`^(?:${options})$`);
}

const JOINT = /^(?:&&|\|\||[;|])$/;
/** A word that the next command of a script begins behind, though it is written at its end: `cd web;`. */
const ENDS = /;$/;
/** What may stand in front of a tool without being one. */
const IN_FRONT = /^(?:sudo|time|nice|command|\w+=\S*)$/;
const MAX_CHARS = 500;

/** How many cores there are, as a number: only the shell knows which. */
const CORES =
  /(["']?)(?:\$\((?:nproc(?: --all)?|getconf _NPROCESSORS_ONLN|sysctl -n hw\.\w*cpu)\)|`nproc`|\$\{?N_?PROCS?\}?)\1/gi;

/** The long names of options, by which they are looked for. */
const LONG: Readonly<Record<string, string>> = {
  "-f": "--force",
  "-B": "--always-make",
  "-d": "--draft",
};

/** A script, its blanks single, without such options: `npm install --legacy-peer-deps` is `npm install`. */
export function withoutManner(script: string): string {
  return mannerOf(script).rest;
}

/** The options of a script by which it may get through where it failed without: `--legacy-peer-deps`. */
export function mendingOptions(script: string): readonly string[] {
  return mannerOf(script.replace(/\s+/g, " ")).mending;
}

function mannerOf(script: string): { readonly rest: string; readonly mending: readonly string[] } {
  if (script.length > MAX_CHARS || !/ (?:-|V=|VERBOSE=)/.test(script)) {
    return { rest: script, mending: [] };
  }
  const words = script.replace(CORES, "8").split(" ");
  const kept: string[] = [];
  const mending: string[] = [];
  let manner: Manner | undefined;
  let isStart = true;
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    if (isStart && !IN_FRONT.test(word)) {
      const rest = words.slice(at, at + 4).join(" ");
      manner = MANNERS.find(({ of }) => of.test(rest));
      isStart = false;
    }
    const isJoint = JOINT.test(word);
    if (isJoint || ENDS.test(word)) isStart = true;
    if (!isJoint && manner?.options.test(word)) {
      const long = LONG[word] ?? word;
      if (manner.mends?.test(long)) mending.push(long);
      if (manner.counted?.test(word) && /^\d+$/.test(words[at + 1] ?? "")) at++;
      continue;
    }
    kept.push(word);
  }
  return { rest: kept.join(" "), mending };
}
