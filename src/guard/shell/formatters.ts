/** Programs that change files in their place, or write one that an option names: formatters, converters, clients. */
import type { Writer } from "./writers.ts";

const IN_PLACE = /^(?:-[a-zA-Z]*i[a-zA-Z]*$|--in-?place)/;
const FIX = /^--fix$/;
const CHECK = /^--(?:check|diff)$/;
const PYTHON = /\.(?:pyi?|ipynb)$/;
const GO = /\.go$/;
/** All but what package managers write; some of that counts as JSON. */
const NO_LOCK = /(?<!\.lockb?)$|(?:^|\/)(?:composer|deno|flake|Pipfile)\.lock$/;
const NAMED_COPY = /^[^/]*:/;

/** A program whose option names the file that it writes. */
const TO_FILE: Writer = { operands: "none", output: { letter: "o", long: "--output" } };
/** A copy between here and a container. */
const FROM_CONTAINER: Writer = {
  operands: "last",
  begins: /^(?:container )?cp /,
  valued: "nc",
  valuedLong: /^--(?:namespace|container|context|retries)$/,
  copies: { contents: /\/\.?$/, remote: NAMED_COPY },
};
const EDITOR: Writer = {
  operands: "all",
  valued: "cuTiwW",
  valuedLong: /^--cmd$/,
  never: /^(?:-R|-h|--help|--version)$/,
  skips: /^[-+]/,
};
/** What goes into the bin. */
const REMOVING: Writer = { operands: "removed" };

/** By the program's name. */
export const FORMATTERS: Readonly<Record<string, Writer>> = {
  prettier: {
    operands: "formatted",
    takes: NO_LOCK,
    onlyWith: /^(?:-w|--write)$/,
    valuedLong:
      /^--(?:config|ignore-path|parser|plugin|log-level|loglevel|print-width|tab-width|end-of-line|trailing-comma|prose-wrap|config-precedence|cache-location|cache-strategy)$/,
  },
  eslint: {
    operands: "formatted",
    excluding: { options: /^--ignore-pattern$/, reads: "patterns" },
    takes: NO_LOCK,
    onlyWith: FIX,
    valued: "cf",
    valuedLong:
      /^--(?:config|ext|rule|parser|parser-options|plugin|rulesdir|format|max-warnings|ignore-pattern|ignore-path|cache-file|cache-location|cache-strategy|env|global|resolve-plugins-relative-to|fix-type|flag)$/,
    output: { letter: "o", long: "--output-file" },
  },
  stylelint: { operands: "formatted", onlyWith: FIX, valuedLong: /^--(?:config|custom-syntax)$/ },
  markdownlint: { operands: "formatted", onlyWith: /^(?:-f|--fix)$/, valued: "ci" },
  "markdownlint-cli2": { operands: "formatted", onlyWith: FIX },
  standard: { operands: "formatted", onlyWith: FIX },
  biome: {
    operands: "formatted",
    takes: NO_LOCK,
    begins: /^(?:format|check|lint) /,
    onlyWith: /^--(?:write|fix|apply|apply-unsafe)$/,
  },
  ruff: {
    operands: "formatted",
    excluding: { options: /^--(?:extend-)?exclude$/, reads: "names" },
    takes: PYTHON,
    begins: /^(?:format|check) /,
    onlyWith: /^(?:format|--fix(?:-only)?)$/,
    never: CHECK,
    valuedLong:
      /^--(?:config|line-length|target-version|select|ignore|extend-select|output-format|(?:extend-)?exclude)$/,
  },
  black: {
    operands: "formatted",
    excluding: { options: /^--(?:extend-)?exclude$/, reads: "contains" },
    takes: PYTHON,
    never: /^(?:--(?:check|diff|code|version|help)|-[chV])$/,
    valued: "ltW",
    valuedLong: /^--(?:line-length|target-version|config|include|exclude|extend-exclude|workers)$/,
  },
  isort: {
    operands: "formatted",
    takes: PYTHON,
    never: /^(?:-c|-d|--check(?:-only)?|--diff|--stdout|--version|--help|--show-\w+)$/,
    valued: "lpostw",
    valuedLong: /^--(?:profile|line-length|settings-path|skip|src)$/,
  },
  autopep8: { operands: "formatted", takes: PYTHON, onlyWith: IN_PLACE, never: /^--diff$/ },
  yapf: { operands: "formatted", takes: PYTHON, onlyWith: IN_PLACE, never: /^--diff$/ },
  gofmt: { operands: "formatted", takes: GO, onlyWith: /^-w$/, valued: "r" },
  goimports: { operands: "formatted", takes: GO, onlyWith: /^-w$/ },
  rustfmt: {
    operands: "formatted",
    never: /^(?:--check|--print-config|--version|-V|--help|-h)$/,
    valuedLong: /^--(?:edition|config|config-path|emit|color)$/,
  },
  "clang-format": { operands: "formatted", onlyWith: /^-i$/, never: /^(?:-n|--dry-run)$/ },
  shfmt: {
    operands: "formatted",
    onlyWith: /^(?:-[a-z]*w[a-z]*|--write)$/,
    valuedLong: /^--(?:indent|language-dialect)$/,
  },
  rubocop: {
    operands: "formatted",
    onlyWith: /^(?:-[axA]|--auto-?correct(?:-all)?)$/,
    valuedLong: /^--(?:only|except|config|format)$/,
  },
  yq: {
    operands: "all",
    begins: /^(?:(?:e|ea|eval|eval-all) )?/,
    onlyWith: IN_PLACE,
    valued: "poI",
    valuedLong: /^--(?:input-format|output-format|indent|from-file)$/,
    first: { count: 1, unless: /^--from-file/ },
  },
  sd: {
    operands: "all",
    valued: "nf",
    never: /^(?:-[a-z]*p|--preview)$/,
    first: { count: 2, unless: /^$/ },
  },
  dos2unix: { operands: "all", never: /^(?:-i|--info|-h|-V|--version)/ },
  unix2dos: { operands: "all", never: /^(?:-i|--info|-h|-V|--version)/ },
  sops: {
    operands: "all",
    begins: /^(?:(?:encrypt|decrypt|rotate) )?/,
    onlyWith: /^(?:-i|--in-place)$/,
    valued: "kp",
    valuedLong: /^--(?:input-type|output-type|age|pgp|kms|config|set)$/,
    output: { long: "--output" },
  },
  vim: EDITOR,
  vi: EDITOR,
  nvim: EDITOR,
  ex: EDITOR,
  ed: { operands: "all", valued: "p" },
  rimraf: REMOVING,
  del: REMOVING,
  "del-cli": REMOVING,
  trash: REMOVING,
  "trash-put": REMOVING,
  iconv: { ...TO_FILE, valued: "ft" },
  gpg: { ...TO_FILE, valued: "ru" },
  gpg2: { ...TO_FILE, valued: "ru" },
  age: { ...TO_FILE, valued: "riR" },
  "age-keygen": TO_FILE,
  "ssh-keygen": {
    operands: "none",
    valued: "tbCNPmVzsInDrEwaOW",
    output: { letter: "f" },
    never: /^-[ylBeiFLQ]/,
  },
  aws: {
    operands: "last",
    begins: /^s3 (?:cp|mv|sync) /,
    valuedLong: /^--(?:profile|region|endpoint-url|include|exclude|acl|storage-class|sse|output)$/,
    copies: { contents: /\/$/, recursive: /^--recursive$/, remote: /^s3:\/\// },
  },
  gsutil: {
    operands: "last",
    begins: /^(?:cp|mv|rsync) /,
    copies: { contents: /\/$/, recursive: /^-[rR]$/, remote: /^gs:\/\// },
  },
  docker: FROM_CONTAINER,
  podman: FROM_CONTAINER,
  kubectl: FROM_CONTAINER,
  oc: FROM_CONTAINER,
};
