/** The programs whose purpose it is to change files, and which of their arguments those are. */
import type { OptionName, OptionNames } from "./operands.ts";

export interface Copying {
  /** The option with which it copies folders. */
  readonly recursive?: RegExp;
  /** A source whose content is copied, and not the source itself. */
  readonly contents: RegExp;
  /** The option with which an existing folder is replaced by the copy, instead of holding it. */
  readonly onto?: RegExp;
  /** Where no folder is there: whether the copy gets its name, or lies in a new folder of that name. */
  readonly makes?: "copy" | "holder";
  /** Options with which some files are not copied. */
  readonly leaves?: RegExp;
  /** Options with which files without a source are removed. */
  readonly clears?: RegExp;
  readonly moves?: RegExp;
  /** A source or destination on another machine. */
  readonly remote?: RegExp;
}

/** Which of a program's arguments are files that it changes. */
export interface Writer extends OptionNames {
  /**
   * `all`, the `first`, all removed, all tampered with, the `last`: the destination, or that and the `moved` sources, which go away.
   * `formatted`: all, which may be folders or patterns that the program reads itself. `unknown`: only the running program
   * knows.
   */
  readonly operands:
    | "all"
    | "first"
    | "removed"
    | "tampered"
    | "last"
    | "moved"
    | "formatted"
    | "unknown"
    | "none";
  /** Its verbs, each with a blank after it, as the first operands: without them it changes nothing. */
  readonly begins?: RegExp;
  readonly skips?: RegExp;
  /** With this option, or always, its operands are unpacked: each gives a file without the ending. */
  readonly unpacks?: RegExp | true;
  /** Operands before the files: the script of `sed`, unless an option gives it. */
  readonly first?: { readonly count: number; readonly unless: RegExp };
  /** The option with which the old file stays, under its name and this ending. */
  readonly keepsWith?: RegExp;
  /** With this first operand, as written, it only adds rights. */
  readonly onlyGives?: RegExp;
  /** The operand is the beginning of names; the first of them ends so. */
  readonly ending?: string;
  readonly onlyWith?: RegExp;
  readonly never?: RegExp;
  /** What it loads from addresses: `-` is no file, and without a name the address gives it. */
  readonly loads?: { readonly named: RegExp | null; readonly into: OptionName };
  /** Of what has a destination: how it copies folders, and what lies in them. */
  readonly copies?: Copying;
  /** More options that name a file which is written, as words of their own or before `=`. */
  readonly named?: string;
  /** It fills the folder that its output option names, or the one where it runs. */
  readonly fills?: true;
  /** Of a formatter: the names of the files that it takes in a folder; absent where those are many. */
  readonly takes?: RegExp;
  /** Of a formatter: the options that name what it leaves. */
  readonly excluding?: RegExp;
}

const INTO = { letter: "t", long: "--target-directory" };
const TO_FILE = { letter: "o", long: "--output" };

const ONTO = /^(?:-[a-zA-Z]*T|--no-target-directory$)/;
/** `x/.`, `..` */
const DOTTED = /(?:^|\/)\.{1,2}\/*$/;
const REMOTE = /^[^/]+:/;
/** Options with which a packed file stays as it is. A letter that takes a value ends a bundle. */
const UNPACKS_NOTHING = /^-[^STFM-]*[clthLV]|^--(?:stdout|to-stdout|list|test|help|version)$/;

/** Options with which no name changes. */
const RENAMES_NOTHING = /^(?:-[a-z]*n|--(?:no-?act|nono|dry-run|version|help))/;

const UNPACK = /^(?:-[a-zA-Z]*d|--(?:decompress|uncompress)$)/;
const PACKER: Writer = { operands: "removed", never: UNPACKS_NOTHING, unpacks: UNPACK };

const IN_PLACE = /^(?:-[a-zA-Z]*i[a-zA-Z]*$|--in-?place)/;
const FIX = /^--fix$/;
const CHECK = /^--(?:check|diff)$/;
const PYTHON = /\.(?:pyi?|ipynb)$/;
const GO = /\.go$/;
/** All files but lock files; some of those are read as JSON. */
const NO_LOCK = /(?<!\.lockb?)$|(?:^|\/)(?:composer|deno|flake|Pipfile)\.lock$/;
const NAMED_COPY = /^[^/]*:/;

/** A copy between here and a container. */
const FROM_CONTAINER: Writer = {
  operands: "last",
  begins: /^(?:container )?cp /,
  valued: "nc",
  valuedLong: "namespace container context retries",
  copies: { contents: /\/\.?$/, remote: NAMED_COPY },
};
const EDITOR: Writer = {
  operands: "all",
  valued: "cuTiwW",
  valuedLong: "cmd",
  never: /^(?:-R|-h|--help|--version)$/,
  skips: /^[-+]/,
};
/** What goes into the bin. */
const REMOVING: Writer = { operands: "removed" };
const TRACER: Writer = { operands: "none", named: "-o --output" };
const COMPILER: Writer = { operands: "none", named: "-o" };
const WRITING_FILE: Writer = { operands: "none", output: TO_FILE };

export const WRITERS: ReadonlyMap<string, Writer> = new Map(Object.entries<Writer>({
  rm: { operands: "removed" },
  rmdir: { operands: "removed" },
  unlink: { operands: "removed" },
  shred: { operands: "removed", valued: "ns" },
  truncate: { operands: "all", valued: "sr" },
  touch: { operands: "all", valued: "dtr" },
  tee: { operands: "all" },
  mv: {
    operands: "moved",
    valued: "S",
    output: INTO,
    copies: { contents: DOTTED, makes: "copy" },
  },
  cp: {
    operands: "last",
    valued: "S",
    output: INTO,
    copies: {
      recursive: /^(?:-[a-zA-Z]*[rRa]|--recursive$|--archive$)/,
      contents: DOTTED,
      onto: ONTO,
      makes: "copy",
      leaves: /^(?:-[a-zA-Z]*n|--no-clobber$)/,
    },
  },
  install: { operands: "last", valued: "Sgmo", output: INTO },
  ln: { operands: "last", valued: "S", output: INTO },
  link: { operands: "last" },
  rsync: {
    operands: "last",
    valued: "efBTM",
    valuedLong:
      "exclude exclude-from include include-from files-from filter rsh rsync-path backup-dir " +
      "partial-dir temp-dir compare-dest copy-dest link-dest log-file password-file suffix " +
      "chmod chown bwlimit timeout port max-size min-size info debug out-format",
    never: /^(?:-[^-efBTM@]*n|--dry-run$|--list-only$)/,
    copies: {
      recursive: /^(?:-[^-efBTM@]*[ra]|--recursive$|--archive$)/,
      contents: /(?:^|\/)\.{0,2}$/,
      leaves:
        /^(?:-[^-efBTM@]*[fFC]|--(?:(?:ex|in)clude|filter|files-from|cvs-exclude|(?:ignore-)?existing|m(?:ax|in)-size))/,
      makes: "holder",
      clears: /^--del/,
      moves: /^--remove-source-files$/,
      remote: REMOTE,
    },
  },
  scp: {
    operands: "last",
    valued: "cFiJloPS",
    copies: { recursive: /^-[^-cFiJloPS]*r/, contents: DOTTED, remote: REMOTE },
  },
  sed: {
    operands: "all",
    valued: "efl",
    onlyWith: /^(?:-[a-zA-Z]*i|--in-place)/,
    keepsWith: /^(?:-[nErszu]*i|--in-place=)([^*]+)$/,
    first: { count: 1, unless: /^(?:-[a-zA-Z]*[ef]|--expression|--file)/ },
  },
  perl: {
    operands: "all",
    valued: "eEIMm",
    onlyWith: /^-[a-zA-Z0-9]*i/,
    keepsWith: /^-[acflnpstuwW0-9]*i([^*]+)$/,
    first: { count: 1, unless: /^-[a-zA-Z0-9]*[eE]/ },
  },
  sort: { operands: "none", output: TO_FILE },
  curl: {
    operands: "none",
    valued: "AbcCdDeEFhHKmPQrTuUwxXyYz",
    output: TO_FILE,
    named:
      "-D --dump-header -c --cookie-jar --trace --trace-ascii --stderr --etag-save --hsts --alt-svc --libcurl",
    loads: { named: /^(?:-[a-zA-Z]*O|--remote-name)/, into: { long: "--output-dir" } },
  },
  wget: {
    operands: "none",
    valued: "aABDeiIlPQRtTUwX",
    output: { letter: "O", long: "--output-document" },
    loads: { named: null, into: { letter: "P", long: "--directory-prefix" } },
  },
  patch: {
    operands: "all",
    valued: "ipdDBzFYV",
    output: TO_FILE,
    never: /^(?:-C|--dry-run|--check)$/,
  },
  gzip: { ...PACKER, valued: "S" },
  gunzip: { ...PACKER, valued: "S", unpacks: true },
  bzip2: PACKER,
  bunzip2: { ...PACKER, unpacks: true },
  xz: { ...PACKER, valued: "TFSM" },
  unxz: { ...PACKER, valued: "TFSM", unpacks: true },
  zstd: { operands: "none", output: TO_FILE, never: UNPACKS_NOTHING, unpacks: UNPACK },
  unzstd: { operands: "none", output: TO_FILE, never: UNPACKS_NOTHING, unpacks: true },
  sponge: { operands: "all" },
  uniq: { operands: "last", valued: "fsw" },
  mkfifo: { operands: "all", valued: "m" },
  // In the folder for temporary files, or a folder, it is none of the project's files.
  mktemp: { operands: "all", never: /^(?:-[a-zA-Z]*[dptu]|--(?:directory|tmpdir|dry-run))/ },
  chmod: {
    operands: "tampered",
    first: { count: 1, unless: /^(?:--reference|-[rwxXst])/ },
    // A policy file that others may write counts no more, so giving them that right changes the policy.
    onlyGives: /^(?:[ugoa]*\+[rxXst]+|u\+[rwxXst]+)(?:,(?:[ugoa]*\+[rxXst]+|u\+[rwxXst]+))*$/,
  },
  chown: {
    operands: "tampered",
    first: { count: 1, unless: /^--reference/ },
    onlyGives: /^"?\$\{?USER\}?(?::|"|$)/,
  },
  chgrp: { operands: "tampered", first: { count: 1, unless: /^--reference/ } },
  setfacl: { operands: "tampered", valued: "mxMX" },
  chattr: { operands: "tampered", valued: "vp" },
  split: {
    operands: "all",
    valued: "abCln",
    first: { count: 1, unless: /^--(?:help|version)$/ },
    ending: "aa",
  },
  csplit: {
    operands: "none",
    valued: "bn",
    output: { letter: "f", long: "--prefix" },
    ending: "00",
  },
  rename: { operands: "unknown", never: RENAMES_NOTHING },
  prename: { operands: "unknown", never: RENAMES_NOTHING },
  xxd: { operands: "last", valued: "cglosn" },
  "json.tool": { operands: "last", valuedLong: "indent" },
  awk: {
    operands: "all",
    valued: "fvFi",
    onlyWith: /inplace/,
    first: { count: 1, unless: /^-f/ },
  },
  find: { operands: "none", named: "-fprint -fprint0 -fprintf -fls" },
  unzip: {
    operands: "none",
    valued: "xP",
    output: { letter: "d" },
    never: /^-[a-zA-Z]*[lptvZ]/,
    fills: true,
  },
  cpio: {
    operands: "none",
    onlyWith: /^-[a-zA-Z]*[ip]|^--(?:extract|pass-through)$/,
    output: { letter: "D", long: "--directory" },
    fills: true,
  },
  "7z": { operands: "none", begins: /^[xe] /, output: { letter: "o" }, fills: true },
  "7za": { operands: "none", begins: /^[xe] /, output: { letter: "o" }, fills: true },
  zip: {
    operands: "first",
    valued: "bnPstx",
    valuedLong: "exclude include password temp-path suffixes",
    never: /^(?:-l|-sf|-h2?|-v|-T|--(?:show-files|help|version))$/,
  },
  strace: TRACER,
  ltrace: TRACER,
  openssl: { operands: "none", named: "-out -keyout" },
  gcc: COMPILER,
  "g++": COMPILER,
  cc: COMPILER,
  "c++": COMPILER,
  clang: COMPILER,
  "clang++": COMPILER,
  ld: COMPILER,
  rustc: COMPILER,
  dot: COMPILER,
  go: { ...COMPILER, begins: /^(?:build|test) / },
  pandoc: { operands: "none", named: "-o --output" },
  esbuild: { operands: "none", named: "--outfile" },
  pg_dump: { operands: "none", named: "-f --file" },
  pg_dumpall: { operands: "none", named: "-f --file" },
  mysqldump: { operands: "none", named: "-r --result-file" },
  prettier: {
    operands: "formatted",
    takes: NO_LOCK,
    onlyWith: /^(?:-w|--write)$/,
    valuedLong:
      "config ignore-path parser plugin log-level loglevel print-width tab-width end-of-line " +
      "trailing-comma prose-wrap config-precedence cache-location cache-strategy",
  },
  eslint: {
    operands: "formatted",
    excluding: /^--ignore-pattern$/,
    takes: NO_LOCK,
    onlyWith: FIX,
    valued: "cf",
    valuedLong: "config ext rule parser parser-options plugin rulesdir format max-warnings " +
      "ignore-pattern ignore-path cache-file cache-location cache-strategy env global " +
      "resolve-plugins-relative-to fix-type flag",
    output: { letter: "o", long: "--output-file" },
  },
  stylelint: { operands: "formatted", onlyWith: FIX, valuedLong: "config custom-syntax" },
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
    excluding: /^--(?:extend-)?exclude$/,
    takes: PYTHON,
    begins: /^(?:format|check) /,
    onlyWith: /^(?:format|--fix(?:-only)?)$/,
    never: CHECK,
    valuedLong:
      "config line-length target-version select ignore extend-select output-format exclude " +
      "extend-exclude",
  },
  black: {
    operands: "formatted",
    excluding: /^--(?:extend-)?exclude$/,
    takes: PYTHON,
    never: /^(?:--(?:check|diff|code|version|help)|-[chV])$/,
    valued: "ltW",
    valuedLong: "line-length target-version config include exclude extend-exclude workers",
  },
  isort: {
    operands: "formatted",
    takes: PYTHON,
    never: /^(?:-c|-d|--check(?:-only)?|--diff|--stdout|--version|--help|--show-\w+)$/,
    valued: "lpostw",
    valuedLong: "profile line-length settings-path skip src",
  },
  autopep8: { operands: "formatted", takes: PYTHON, onlyWith: IN_PLACE, never: /^--diff$/ },
  yapf: { operands: "formatted", takes: PYTHON, onlyWith: IN_PLACE, never: /^--diff$/ },
  gofmt: { operands: "formatted", takes: GO, onlyWith: /^-w$/, valued: "r" },
  goimports: { operands: "formatted", takes: GO, onlyWith: /^-w$/ },
  rustfmt: {
    operands: "formatted",
    never: /^(?:--check|--print-config|--version|-V|--help|-h)$/,
    valuedLong: "edition config config-path emit color",
  },
  "clang-format": { operands: "formatted", onlyWith: /^-i$/, never: /^(?:-n|--dry-run)$/ },
  shfmt: {
    operands: "formatted",
    onlyWith: /^(?:-[a-z]*w[a-z]*|--write)$/,
    valuedLong: "indent language-dialect",
  },
  rubocop: {
    operands: "formatted",
    onlyWith: /^(?:-[axA]|--auto-?correct(?:-all)?)$/,
    valuedLong: "only except config format",
  },
  yq: {
    operands: "all",
    begins: /^(?:(?:e|ea|eval|eval-all) )?/,
    onlyWith: IN_PLACE,
    valued: "poI",
    valuedLong: "input-format output-format indent from-file",
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
    valuedLong: "input-type output-type age pgp kms config set",
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
  iconv: { ...WRITING_FILE, valued: "ft" },
  gpg: { ...WRITING_FILE, valued: "ru" },
  gpg2: { ...WRITING_FILE, valued: "ru" },
  age: { ...WRITING_FILE, valued: "riR" },
  "age-keygen": WRITING_FILE,
  "ssh-keygen": {
    operands: "none",
    valued: "tbCNPmVzsInDrEwaOW",
    output: { letter: "f" },
    never: /^-[ylBeiFLQ]/,
  },
  aws: {
    operands: "last",
    begins: /^s3 (?:cp|mv|sync) /,
    valuedLong: "profile region endpoint-url include exclude acl storage-class sse output",
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
}));
