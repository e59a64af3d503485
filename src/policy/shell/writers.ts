/** The programs whose purpose it is to change files, and which of their arguments are those files. */
import type { OptionName, OptionNames } from "./operands.ts";
import TABLES from "./writers.json" with { type: "json" };

export interface Copying {
  readonly recursive?: RegExp;
  /** Matches a source whose content is copied, and not the source itself. */
  readonly contents: RegExp;
  /** The option with which the copy replaces an existing folder, instead of lying in it. */
  readonly onto?: RegExp;
  /** If the destination does not exist: the copy gets its name, or lies in a new folder of that name. */
  readonly makes?: "copy" | "holder";
  readonly leaves?: RegExp;
  readonly clears?: RegExp;
  readonly moves?: RegExp;
  /** A source or destination on another machine. */
  readonly remote?: RegExp;
}

export interface Writer extends OptionNames {
  /**
   * Which operands are files: `all`, the `first`, all that are `removed` or `tampered` with, the `last` as the
   * destination, or with `moved` also the sources, which go away. `formatted`: all, also folders and patterns that the
   * program reads itself. `unknown`: only the running program knows.
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
  /** Its first operands, each with a blank after it, without which it changes nothing. */
  readonly begins?: RegExp;
  readonly skips?: RegExp;
  /** The option with which it unpacks its operands, or true for always: each gives a file without the ending. */
  readonly unpacks?: RegExp | true;
  /** How many operands stand before the files, as the script of `sed`, unless an option replaces them. */
  readonly first?: { readonly count: number; readonly unless: RegExp };
  /** The option with which the old file stays under its name and this ending. */
  readonly keepsWith?: RegExp;
  /** If the first operand matches, it only adds permissions. */
  readonly onlyGives?: RegExp;
  /** The operand is the beginning of file names; the first of them ends so. */
  readonly ending?: string;
  readonly onlyWith?: RegExp;
  readonly never?: RegExp;
  /** How it names what it downloads: without an output option the address gives the name. */
  readonly loads?: { readonly named: RegExp | null; readonly into: OptionName };
  /** How a program with a destination copies folders and their content. */
  readonly copies?: Copying;
  /** More options that name a written file, as a word of their own or before `=`. */
  readonly named?: string;
  /** Whether it fills the folder that its output option names, or the one where it runs. */
  readonly fills?: boolean;
  /** Of a formatter: the files that it takes in a folder; absent for many kinds. */
  readonly takes?: RegExp;
  /** Of a formatter: the options that name what it leaves out. */
  readonly excluding?: RegExp;
}

const INTO = { letter: "t", long: "--target-directory" };
const TO_FILE = { letter: "o", long: "--output" };

const ONTO = /^(?:-[a-zA-Z]*T|--no-target-directory$)/;
const DOTTED = /(?:^|\/)\.{1,2}\/*$/;
const REMOTE = /^[^/]+:/;
/** Options with which a packed file stays as it is. A letter that takes a value ends a bundle. */
const UNPACKS_NOTHING = /^-[^STFM-]*[clthLV]|^--(?:stdout|to-stdout|list|test|help|version)$/;

const UNPACK = /^(?:-[a-zA-Z]*d|--(?:decompress|uncompress)$)/;
const PACKER: Writer = { operands: "removed", never: UNPACKS_NOTHING, unpacks: UNPACK };

const IN_PLACE = /^(?:-[a-zA-Z]*i[a-zA-Z]*$|--in-?place)/;
/** Every file but a lock file; the lock files that are named here are JSON, which formatters read. */
const NO_LOCK = /(?<!\.lockb?)$|(?:^|\/)(?:composer|deno|flake|Pipfile)\.lock$/;
/** A row of `writers.json`: options, verbs and endings are lists of words there. */
interface PlainRow extends OptionNames {
  readonly names: string;
  readonly operands?: string;
  readonly verbs?: string;
  readonly onlyWith?: string;
  readonly never?: string;
  readonly excluding?: string;
  readonly endings?: string;
  readonly sparesLocks?: boolean;
}

/** The rows of `writers.json` by the names of their programs. */
function plainWriters(rows: readonly PlainRow[]): (readonly [name: string, writer: Writer])[] {
  return rows.flatMap(({ names, verbs, onlyWith, never, excluding, endings, ...row }) => {
    const { sparesLocks, operands = "formatted", ...rest } = row;
    const writer = {
      ...rest,
      operands: operands as Writer["operands"],
      ...(verbs === undefined ? {} : { begins: oneOf(verbs, "^", " ") }),
      // The letter of a short option may stand in a bundle of several.
      ...(onlyWith === undefined ? {} : { onlyWith: oneOf(bundled(onlyWith), "^", "$") }),
      ...(never === undefined ? {} : { never: oneOf(never, "^", "$") }),
      ...(excluding === undefined ? {} : { excluding: oneOf(excluding, "^", "$") }),
      ...(endings === undefined ? {} : { takes: oneOf(endings, "\\.", "$") }),
      ...(sparesLocks ? { takes: NO_LOCK } : {}),
    };
    return names.split(" ").map((name) => [name, writer] as const);
  });
}

function oneOf(words: string, before: string, after: string): RegExp {
  return new RegExp(`${before}(?:${words.replaceAll(" ", "|")})${after}`);
}

function bundled(options: string): string {
  return options.replace(/(?<![\w-])-(?=[a-zA-Z](?: |$))(.)/g, "-[a-zA-Z]*$1[a-zA-Z]*");
}

function sharing(names: string, writer: Writer): Readonly<Record<string, Writer>> {
  return Object.fromEntries(names.split(" ").map((name) => [name, writer]));
}

export const WRITERS: ReadonlyMap<string, Writer> = new Map([
  ...plainWriters(TABLES.formatters),
  ...plainWriters(TABLES.others),
  ...Object.entries<Writer>({
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
    curl: {
      operands: "none",
      valued: "AbcCdDeEFhHKmPQrTuUwxXyYz",
      output: TO_FILE,
      named:
        "-D --dump-header -c --cookie-jar --trace --trace-ascii --stderr --etag-save --hsts --alt-svc --libcurl",
      loads: { named: /^(?:-[a-zA-Z]*O|--remote-name)/, into: { long: "--output-dir" } },
    },
    gzip: { ...PACKER, valued: "S" },
    gunzip: { ...PACKER, valued: "S", unpacks: true },
    bzip2: PACKER,
    bunzip2: { ...PACKER, unpacks: true },
    xz: { ...PACKER, valued: "TFSM" },
    unxz: { ...PACKER, valued: "TFSM", unpacks: true },
    zstd: { operands: "none", output: TO_FILE, never: UNPACKS_NOTHING, unpacks: UNPACK },
    unzstd: { operands: "none", output: TO_FILE, never: UNPACKS_NOTHING, unpacks: true },
    // With these options it makes a file in a folder for temporary files.
    mktemp: { operands: "all", never: /^(?:-[a-zA-Z]*[dptu]|--(?:directory|tmpdir|dry-run))/ },
    chmod: {
      operands: "tampered",
      first: { count: 1, unless: /^(?:--reference|-[rwxXst])/ },
      // A policy file that others may write does not count, so permission to write changes the policy.
      onlyGives: /^(?:[ugoa]*\+[rxXst]+|u\+[rwxXst]+)(?:,(?:[ugoa]*\+[rxXst]+|u\+[rwxXst]+))*$/,
    },
    chown: {
      operands: "tampered",
      first: { count: 1, unless: /^--reference/ },
      onlyGives: /^"?\$\{?USER\}?(?::|"|$)/,
    },
    chgrp: { operands: "tampered", first: { count: 1, unless: /^--reference/ } },
    split: {
      operands: "all",
      valued: "abCln",
      first: { count: 1, unless: /^--(?:help|version)$/ },
      ending: "aa",
    },
    ...sharing("rename prename", {
      operands: "unknown",
      never: /^(?:-[a-z]*n|--(?:no-?act|nono|dry-run|version|help))/,
    }),
    awk: {
      operands: "all",
      valued: "fvFi",
      onlyWith: /inplace/,
      first: { count: 1, unless: /^-f/ },
    },
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
    sops: {
      operands: "all",
      begins: /^(?:(?:encrypt|decrypt|rotate) )?/,
      onlyWith: /^(?:-i|--in-place)$/,
      valued: "kp",
      valuedLong: "input-type output-type age pgp kms config set",
      output: { long: "--output" },
    },
    ...sharing("vim vi nvim ex", {
      operands: "all",
      valued: "cuTiwW",
      valuedLong: "cmd",
      never: /^(?:-R|-h|--help|--version)$/,
      skips: /^[-+]/,
    }),
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
    // A copy between here and a container.
    ...sharing("docker podman kubectl oc", {
      operands: "last",
      begins: /^(?:container )?cp /,
      valued: "nc",
      valuedLong: "namespace container context retries",
      copies: { contents: /\/\.?$/, remote: /^[^/]*:/ },
    }),
  }),
]);
