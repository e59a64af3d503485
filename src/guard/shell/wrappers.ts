/** Programs that run another one: which command, or which script, is inside. */
import { type Argument, literal } from "./word.ts";

/** What a command runs beside itself. */
export type Inner =
  | { readonly kind: "command"; readonly words: readonly Argument[] }
  /** More of the shell's language; `parameters` are `$1`, `$2` in it. */
  | {
    readonly kind: "script";
    readonly text: Argument;
    readonly parameters: readonly Argument[];
  }
  /** A shell that reads what it runs from its standard input. */
  | { readonly kind: "stdin" }
  /** Code of another language. */
  | { readonly kind: "code"; readonly program: string };

interface Wrapper {
  /** Letters of the short options that take a value: `u` for `-u ana`. */
  readonly valued?: string;
  /** Long options that take their value as the next word: `--user ana`. */
  readonly valuedLong?: readonly string[];
  /** How many operands come before the command: the seconds of `timeout`. */
  readonly operands?: number;
  /** Options that make it do something else than run a command. */
  readonly unless?: RegExp;
  /** The rest of the line is a script, not a list of words. */
  readonly joins?: true;
  /** More arguments follow that come from elsewhere. */
  readonly appends?: true;
}

const WRAPPERS: ReadonlyMap<string, Wrapper> = new Map(Object.entries({
  sudo: {
    valued: "ughpCcRTtrDU",
    valuedLong: ["user", "group", "host", "chdir", "chroot", "prompt"],
  },
  doas: { valued: "uC" },
  env: { valued: "uC", valuedLong: ["unset", "chdir"] },
  command: { unless: /^-[pvV]*[vV]/ },
  builtin: {},
  exec: { valued: "a" },
  nohup: {},
  setsid: {},
  nice: { valued: "n", valuedLong: ["adjustment"] },
  ionice: { valued: "cnpPu" },
  time: { valued: "fo", valuedLong: ["format", "output"] },
  timeout: { valued: "ks", valuedLong: ["kill-after", "signal"], operands: 1 },
  stdbuf: { valued: "ioe", valuedLong: ["input", "output", "error"] },
  chroot: { operands: 1 },
  strace: { valued: "abeEIoOpPsSuUX" },
  ltrace: { valued: "aAeFlnopsuxX" },
  busybox: {},
  toybox: {},
  unshare: {},
  xargs: {
    valued: "aEILndsP",
    valuedLong: ["arg-file", "delimiter", "max-args", "max-procs", "max-lines"],
    appends: true,
  },
  parallel: { valued: "jaIN", appends: true },
  watch: { valued: "n", valuedLong: ["interval"], joins: true },
  eval: { joins: true },
  ssh: { valued: "BbcDEeFIiJLlmOopQRSWw", operands: 1, joins: true },
  flock: { valued: "wE", operands: 1 },
}));

const SHELLS = new Set(["sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "rbash", "fish"]);

/** Options after which an interpreter takes code from its command line. */
const CODE_OPTIONS: ReadonlyMap<string, RegExp> = new Map([
  ["python", /^-[a-zA-Z]*c/],
  ["perl", /^-[a-zA-Z]*[eE]/],
  ["ruby", /^-[a-zA-Z]*e/],
  ["node", /^(?:-[a-z]*[ep]|--eval|--print)/],
  ["bun", /^(?:-[a-z]*[ep]|--eval|--print)/],
  ["deno", /^eval$/],
  ["php", /^-[rBRE]/],
  ["lua", /^-e/],
  ["osascript", /^-e/],
]);

/** Shells' options that take a value. */
const SHELL_VALUED = new Set(["-o", "+o", "-O", "+O", "--rcfile", "--init-file"]);

/** What a command runs beside itself, by the name of its program; nothing when it is a program like any other. */
export function findInner(words: readonly Argument[]): readonly Inner[] {
  const [program, ...rest] = words;
  if (program === undefined || program.isOpen) return [];
  const name = programName(program.text);
  if (name === "find") return inFind(rest);
  const inner = innerOf(name, rest);
  return inner === undefined ? [] : [inner];
}

function innerOf(name: string, rest: readonly Argument[]): Inner | undefined {
  const wrapper = WRAPPERS.get(name);
  if (wrapper !== undefined) return unwrap(name, wrapper, rest);
  if (SHELLS.has(name)) return inShell(rest);
  if (name === "su" || name === "runuser" || name === "script") return afterOption("c", rest);
  if (name === "trap" && rest[0] !== undefined && !rest[0].text.startsWith("-")) {
    return { kind: "script", text: rest[0], parameters: [] };
  }
  const option = CODE_OPTIONS.get(name.replace(/[\d.]+$/, ""));
  if (option !== undefined && rest.some(({ text }) => option.test(text))) {
    return { kind: "code", program: name };
  }
  return undefined;
}

/** `/usr/bin/git` as `git`; `GIT.EXE` as `git`. */
export function programName(word: string): string {
  const name = word.slice(Math.max(word.lastIndexOf("/"), word.lastIndexOf("\\")) + 1);
  return name.replace(/\.exe$/i, "") || word;
}

function unwrap(name: string, wrapper: Wrapper, rest: readonly Argument[]): Inner | undefined {
  if (wrapper.unless !== undefined && rest.some(({ text }) => wrapper.unless!.test(text))) {
    return undefined;
  }
  if (name === "env" || name === "flock") {
    // `env -S "git push"` and `flock FILE -c "git push"` take a script as one word.
    const script = afterOption(name === "env" ? "S" : "c", rest);
    if (script !== undefined) return script;
  }
  let at = skipOptions(rest, wrapper);
  for (let left = wrapper.operands ?? 0; left > 0; left--) at++;
  if (name === "env" || name === "sudo") {
    while (/^[A-Za-z_]\w*=/.test(rest[at]?.text ?? "")) at++;
  }
  const words = rest.slice(at);
  if (words.length === 0) return undefined;
  if (wrapper.joins) return { kind: "script", text: join(words), parameters: [] };
  return { kind: "command", words: wrapper.appends ? [...words, OPEN] : words };
}

const OPEN: Argument = { text: "", isOpen: true, isGlob: false };

/** Where the options end. */
function skipOptions(words: readonly Argument[], wrapper: Wrapper): number {
  let at = 0;
  while (at < words.length) {
    const { text } = words[at]!;
    if (text === "--") return at + 1;
    if (!text.startsWith("-") || text === "-") return at;
    const takesNext = text.startsWith("--")
      ? wrapper.valuedLong?.includes(text.slice(2)) ?? false
      : wrapper.valued?.includes(text.at(-1)!) ?? false;
    at += takesNext ? 2 : 1;
  }
  return at;
}

function inShell(rest: readonly Argument[]): Inner | undefined {
  for (let at = 0; at < rest.length; at++) {
    const { text } = rest[at]!;
    if (/^-[a-zA-Z]*c[a-zA-Z]*$/.test(text)) {
      const script = rest.slice(at + 1).findIndex((word) => !/^[-+]./.test(word.text));
      if (script < 0) return undefined;
      const [code, , ...parameters] = rest.slice(at + 1 + script);
      return { kind: "script", text: code!, parameters };
    }
    if (SHELL_VALUED.has(text)) at++;
    else if (text === "-" || /^-[a-zA-Z]*s[a-zA-Z]*$/.test(text)) return { kind: "stdin" };
    else if (text === "/dev/stdin") return { kind: "stdin" };
    // A script in a file: a program like any other.
    else if (!/^[-+]./.test(text)) return undefined;
  }
  return { kind: "stdin" };
}

/** The word after a short option: `su -c "…"`, also `-c"…"` in one. */
function afterOption(letter: string, rest: readonly Argument[]): Inner | undefined {
  for (const [i, { text }] of rest.entries()) {
    if (text === "--") return undefined;
    if (text === `-${letter}` || text === "--command" || text === "--split-string") {
      const code = rest[i + 1];
      return code && { kind: "script", text: code, parameters: [] };
    }
    if (text.startsWith(`-${letter}`)) {
      return {
        kind: "script",
        text: { ...rest[i]!, text: text.slice(2) },
        parameters: [],
      };
    }
  }
  return undefined;
}

/** The commands of `find … -exec`; what they are done to comes from the file system. */
function inFind(rest: readonly Argument[]): Inner[] {
  return rest.flatMap(({ text }, i): Inner[] => {
    if (!/^-(?:exec|execdir|ok|okdir)$/.test(text)) return [];
    const words = rest.slice(i + 1);
    const end = words.findIndex((word) => word.text === ";" || word.text === "+");
    const command = (end < 0 ? words : words.slice(0, end))
      .map((word) => word.text.includes("{}") ? OPEN : word);
    return command.length === 0 ? [] : [{ kind: "command", words: command }];
  });
}

function join(words: readonly Argument[]): Argument {
  const open = words.findIndex(({ isOpen }) => isOpen);
  if (open < 0) return literal(words.map(({ text }) => text).join(" "));
  const text = words.slice(0, open + 1).map((word) => word.text).join(" ");
  return { text, isOpen: true, isGlob: false };
}
