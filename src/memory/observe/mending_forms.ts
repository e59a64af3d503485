/** Forms of a command that do what another does or looks after: that one passes when they have. One row a kind of tool. */

interface Form {
  /** The tools, at the beginning of a command or behind what starts it. */
  readonly of: RegExp;
  /** What makes it this form; a command without it has no others. */
  readonly mark: RegExp;
  /** What stands in its place in the other forms. */
  readonly others: readonly string[];
}

const FORMS: readonly Form[] = [
  {
    of:
      /\b(?:ruff check|eslint|stylelint|biome (?:check|lint)|rubocop|oxlint|golangci-lint run|deno lint|cargo clippy|(?:npm|pnpm|yarn|bun) run \S+ --)(?=\s)/,
    mark: /(?: --)? --(?:fix|write|apply|autocorrect|autocorrect-all)(?=\s|$)/,
    others: [""],
  },
  {
    of: /\bprettier(?=\s)/,
    mark: / (?:--write|-w)(?=\s|$)/,
    others: [" --check", " -c", " --list-different", " -l"],
  },
  {
    of: /^(?!.*--(?:check|diff|list))/,
    mark: /\b(?:ruff format|black|isort|deno fmt|terraform fmt|cargo fmt(?: --all)?)(?=\s|$)/,
    others: ["$& --check", "$& -- --check"],
  },
  {
    of: /^/,
    mark: /\bnpm (?:install|i)(?!.*\s(?:-g|--global|--prefix|-C)(?:[\s=]|$))(?:\s.*)?$/,
    others: ["npm ci"],
  },
  { of: /^/, mark: /\bpnpm (?:install|i)$/, others: ["pnpm install --frozen-lockfile"] },
  {
    of: /^/,
    mark: /\byarn(?: install)?$/,
    others: [
      "yarn install --frozen-lockfile",
      "yarn --frozen-lockfile",
      "yarn install --immutable",
    ],
  },
  { of: /\b(?:terraform|tofu) plan\b/, mark: / -out[= ]\S+/, others: [""] },
  // What is built where nothing is named.
  { of: /^/, mark: /\b(g?make(?: -j\d*)*) all$/, others: ["$1"] },
  // Phases of a build, and those that they hold.
  {
    of: /\bmvnw?\b/,
    mark: /(?<= )(?:test|package|verify|install|deploy)(?= |$)/,
    others: ["compile", "test-compile"],
  },
  {
    of: /\bgradlew?\b/,
    mark: /(?<= )(?:test|check|build)(?= |$)/,
    others: ["classes", "compileJava", "compileKotlin"],
  },
  // Tests are built of all that is built without them.
  {
    of: /^/,
    mark: /\bcargo (?:test|t)(?: (?:-q|--quiet|--no-fail-fast))*(?=\s|$)/,
    others: ["cargo build", "cargo check"],
  },
  { of: /^/, mark: /\bcargo (?:build|b)(?=\s|$)/, others: ["cargo check"] },
  {
    of: /^/,
    mark: /\bgo test(?: -(?:v|race|short|failfast|cover|count=\d+|timeout=\w+|run=\S+))*(?= \.|$)/,
    others: ["go build"],
  },
];
const MAX_CHARS = 500;

/** The commands that do no more than this one has done; none for most. */
export function otherForms(command: string): string[] {
  if (command.length > MAX_CHARS) return [];
  return FORMS.filter(({ of, mark }) => of.test(command) && mark.test(command))
    .flatMap(({ mark, others }) => others.map((other) => command.replace(mark, other)));
}
