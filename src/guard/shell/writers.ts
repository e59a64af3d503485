/** The programs whose purpose it is to change files, and which of their arguments those are. */
import type { Copying } from "./copies.ts";
import type { Formatting } from "./formatted.ts";
import { FORMATTERS } from "./formatters.ts";
import type { OptionName, OptionNames } from "./operands.ts";

/** Which of a program's arguments are files that it changes. */
export interface Writer extends OptionNames, Formatting {
  /**
   * `all`, all removed, all tampered with, the `last`: the destination, or that and the `moved` sources, which go away.
   * `formatted`: all, which may be folders or patterns that the program reads itself. `unknown`: only the running program
   * knows.
   */
  readonly operands:
    | "all"
    | "removed"
    | "tampered"
    | "last"
    | "moved"
    | "formatted"
    | "unknown"
    | "none";
  /** Its verbs, each with a blank after it, as the first operands: without them it changes nothing. */
  readonly begins?: RegExp;
  /** An operand that is no file. */
  readonly skips?: RegExp;
  /** With this option, or always, its operands are unpacked: the same names without their ending arise. */
  readonly unpacks?: RegExp | true;
  /** Operands before the files: the script of `sed`, unless an option gives it. */
  readonly first?: { readonly count: number; readonly unless: RegExp };
  /** The option with which the file as it was stays, under its name and this ending. */
  readonly keepsWith?: RegExp;
  /** With this first operand, as it is written, it takes nothing away from whoever runs it. */
  readonly onlyGives?: RegExp;
  /** What is named is how names begin; the first of them ends so. */
  readonly ending?: string;
  /** It changes files only with this option. */
  readonly onlyWith?: RegExp;
  /** With this option it changes nothing. */
  readonly never?: RegExp;
  /** What it loads from addresses: `-` is no file, and without a name the address gives it. */
  readonly loads?: { readonly named: RegExp | null; readonly into: OptionName };
  /** Of what has a destination: how it copies folders, and what lies in them. */
  readonly copies?: Copying;
}

const INTO = { letter: "t", long: "--target-directory" };
const TO_FILE = { letter: "o", long: "--output" };

const ONTO = /^(?:-[a-zA-Z]*T|--no-target-directory$)/;
/** `x/.`, `..` */
const DOTTED = /(?:^|\/)\.{1,2}\/*$/;
const REMOTE = /^[^/]+:/;
/** What only tells of a packed file, or writes to its standard output. The letters after which a value begins end it. */
const UNPACKS_NOTHING = /^-[^STFM-]*[clthLV]|^--(?:stdout|to-stdout|list|test|help|version)$/;

/** What only tells which names would change. */
const RENAMES_NOTHING = /^(?:-[a-z]*n|--(?:no-?act|nono|dry-run|version|help))/;

const UNPACK = /^(?:-[a-zA-Z]*d|--(?:decompress|uncompress)$)/;
const PACKER: Writer = { operands: "removed", never: UNPACKS_NOTHING, unpacks: UNPACK };

/** By the program's name. */
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
      /^--(?:(?:ex|in)clude(?:-from)?|files-from|filter|rsh|rsync-path|(?:backup|partial|temp)-dir|(?:compare|copy|link)-dest|log-file|password-file|suffix|chmod|chown|bwlimit|timeout|port|m(?:ax|in)-size|info|debug|out-format)$/,
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
  "json.tool": { operands: "last", valuedLong: /^--indent$/ },
  awk: {
    operands: "all",
    valued: "fvFi",
    onlyWith: /inplace/,
    first: { count: 1, unless: /^-f/ },
  },
  ...FORMATTERS,
}));

/** Options that name a file which is written, as a word of their own or before `=`. */
interface NamedOutputs {
  readonly options: ReadonlySet<string>;
  /** With another first word they are none of it: `go run x.go -o y`. */
  readonly verb?: RegExp;
}

const named = (...options: readonly string[]): NamedOutputs => ({ options: new Set(options) });

/** Such options of programs that know words instead of letters, or few letters among words. */
export const NAMED_OUTPUTS: ReadonlyMap<string, NamedOutputs> = new Map(Object.entries({
  find: named("-fprint", "-fprint0", "-fprintf", "-fls"),
  curl: named(
    ..."-D --dump-header -c --cookie-jar --trace --trace-ascii --stderr --etag-save --hsts --alt-svc --libcurl"
      .split(" "),
  ),
  strace: named("-o", "--output"),
  ltrace: named("-o", "--output"),
  openssl: named("-out", "-keyout"),
  gcc: named("-o"),
  "g++": named("-o"),
  cc: named("-o"),
  "c++": named("-o"),
  clang: named("-o"),
  "clang++": named("-o"),
  ld: named("-o"),
  rustc: named("-o"),
  go: { ...named("-o"), verb: /^(?:build|test)$/ },
  pandoc: named("-o", "--output"),
  dot: named("-o"),
  esbuild: named("--outfile"),
  pg_dump: named("-f", "--file"),
  pg_dumpall: named("-f", "--file"),
  mysqldump: named("-r", "--result-file"),
}));

/** Programs that pack and unpack: see `archives.ts`. */
export const ARCHIVERS: ReadonlySet<string> = new Set(
  ["tar", "gtar", "bsdtar", "zip", "unzip", "7z", "7za", "cpio"],
);
