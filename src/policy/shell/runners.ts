/**
 * Programs that run another one: as it is (`sudo`), out of a package (`npx`), in a prepared environment (`bundle exec`), in a
 * container (`docker exec APP PROGRAM`). A row says where the other program stands among the arguments.
 */
import { type Inner, join, scriptFrom } from "./inner.ts";
import { skipOptions, type ValuedOptions } from "./operands.ts";
import { type Argument, literal, OPEN } from "./word.ts";

interface Runner extends ValuedOptions {
  /** What may stand before the verb: `compose`. */
  readonly groups?: RegExp;
  /** Before the program stands one of these verbs. */
  readonly verbs?: RegExp;
  /** Without such a verb any other word is the program as well, unless it is one of these. */
  readonly own?: RegExp;
  /** How many operands come before the program: the seconds of `timeout`. */
  readonly operands?: number;
  /** The program comes after `--`. */
  readonly dashes?: true;
  /** Options that make it do something else than run a program. */
  readonly unless?: RegExp;
  /** The rest of the line is a script, not a list of words; options may follow the operands. */
  readonly joins?: true;
  /** More arguments follow that come from elsewhere. */
  readonly appends?: true;
}

/** Programs that run another one as it is, by their names. */
const WRAPPERS: ReadonlyMap<string, Runner> = new Map(Object.entries<Runner>({
  sudo: {
    valued: "ughpCcRTtrDU",
    valuedLong: "user group host chdir chroot prompt",
  },
  doas: { valued: "uC" },
  env: { valued: "uC", valuedLong: "unset chdir" },
  command: { unless: /^-[pvV]*[vV]/ },
  builtin: {},
  exec: { valued: "a" },
  nohup: {},
  setsid: {},
  nice: { valued: "n", valuedLong: "adjustment" },
  ionice: { valued: "cnpPu" },
  time: { valued: "fo", valuedLong: "format output" },
  timeout: { valued: "ks", valuedLong: "kill-after signal", operands: 1 },
  stdbuf: { valued: "ioe", valuedLong: "input output error" },
  chroot: { operands: 1 },
  strace: { valued: "abeEIoOpPsSuUX" },
  ltrace: { valued: "aAeFlnopsuxX" },
  busybox: {},
  toybox: {},
  unshare: {},
  wsl: { valued: "du", valuedLong: "distribution user cd" },
  xargs: {
    valued: "aEILndsP",
    valuedLong: "arg-file delimiter max-args max-procs max-lines",
  },
  parallel: { valued: "jaIN", appends: true },
  watch: { valued: "n", valuedLong: "interval", joins: true },
  eval: { joins: true },
  ssh: { valued: "BbcDEeFIiJLlmOopQRSWw", operands: 1, joins: true },
  flock: { valued: "wE", operands: 1 },
  taskset: { operands: 1 },
  choom: { valued: "np" },
  "ld.so": { valuedLong: "library-path preload argv0 inhibit-rpath audit" },
  chrt: { operands: 1 },
  setpriv: {},
  prlimit: {},
  fakeroot: {},
  unbuffer: {},
  pkexec: {},
  "systemd-run": { valued: "pEu", valuedLong: "unit property uid gid" },
  nsenter: { valued: "t" },
  runuser: { valued: "ugG", valuedLong: "user group" },
  hyperfine: { valued: "wrmMpcnPu", joins: true },
  tmux: { valued: "LSfsnctxyFe", operands: 1, joins: true },
  screen: { valued: "SsheTcp" },
}));

const EXEC: Runner = { verbs: /^exec$/ };
const RUN: Runner = { verbs: /^run$/ };
const RUN_AFTER_DASHES: Runner = { verbs: /^run$/, dashes: true };
const OF_NPM = { valued: "pw", valuedLong: "package workspace filter prefix dir cwd" };
/** Verbs of package managers that are called like programs. */
const OWN = /^(?:install|link|unlink|rm|patch|run|test|start)$/;

/** Programs that run another one out of a package, or in a prepared environment. */
const RUNNERS: ReadonlyMap<string, Runner> = new Map(Object.entries<Runner>({
  npx: OF_NPM,
  bunx: OF_NPM,
  pnpx: OF_NPM,
  npm: { ...OF_NPM, verbs: /^(?:exec|x)$/ },
  pnpm: { ...OF_NPM, valued: "CF", verbs: /^(?:exec|dlx)$/, own: OWN },
  yarn: { ...OF_NPM, verbs: /^(?:exec|dlx|run)$/, own: OWN },
  bun: { ...OF_NPM, verbs: /^x$/ },
  corepack: {},
  shx: {},
  "cross-env": {},
  "env-cmd": { valued: "fre", valuedLong: "file rc-file environments" },
  dotenv: { dashes: true },
  bundle: EXEC,
  direnv: { ...EXEC, operands: 1 },
  mise: { verbs: /^(?:exec|x)$/, dashes: true },
  lerna: { verbs: /^exec$/, dashes: true },
  "aws-vault": { verbs: /^exec$/, dashes: true },
  asdf: EXEC,
  rbenv: EXEC,
  pyenv: EXEC,
  nodenv: EXEC,
  fnm: { ...EXEC, valuedLong: "using" },
  nvm: { ...EXEC, operands: 1 },
  volta: { ...RUN, valuedLong: "node npm yarn" },
  uv: {
    ...RUN,
    valued: "p",
    valuedLong: "with python project directory extra group env-file",
  },
  uvx: { valued: "p", valuedLong: "from with python" },
  poetry: RUN,
  pipenv: RUN,
  pipx: { ...RUN, valuedLong: "spec python" },
  pdm: { ...RUN, valued: "p" },
  rye: RUN,
  hatch: RUN,
  conda: { ...RUN, valued: "np", valuedLong: "name prefix cwd" },
  doppler: RUN_AFTER_DASHES,
  op: RUN_AFTER_DASHES,
  infisical: RUN_AFTER_DASHES,
  "xvfb-run": { valued: "nsefpw", valuedLong: "server-num server-args" },
  "dbus-run-session": {},
  caffeinate: { valued: "tw" },
  chronic: {},
}));

const CONTAINER: Runner = {
  groups: /^(?:compose|container)$/,
  verbs: /^(?:exec|run)$/,
  operands: 1,
  valued: "aceflhHmnpuvw",
  valuedLong:
    "add-host attach cap-add cap-drop cidfile context cpus detach-keys device dns entrypoint env env-file expose file gpus " +
    "host hostname index ip ipc label link log-driver log-opt memory mount name network pid platform profile " +
    "project-directory project-name publish pull restart runtime security-opt shm-size stop-signal stop-timeout tmpfs " +
    "ulimit user userns volume volumes-from workdir",
};
const POD: Runner = { verbs: /^exec$/, dashes: true };
/** Programs that run another one in a container. */
const CONTAINED: ReadonlyMap<string, Runner> = new Map([
  ...["docker", "podman", "nerdctl", "docker-compose", "podman-compose"]
    .map((name) => [name, CONTAINER] as const),
  ["kubectl", POD],
  ["oc", POD],
]);

/** The dynamic linker, whose name tells the machine: `ld-linux-x86-64.so.2`. */
const DYNAMIC_LINKER = /^ld-(?:linux|musl)[\w-]*\.so\.\d+$/;

/** Whether a program runs programs of packages, or modules like them (`python -m black`). */
export function isRunner(name: string): boolean {
  return RUNNERS.has(name) || CONTAINED.has(name) || /^python[\d.]*$/.test(name);
}

/** Whether what a program runs has another file system than it has itself. */
export function isContaining(name: string): boolean {
  return CONTAINED.has(name);
}

/** The command, or the script, that such a program runs; undefined where it runs none. */
export function inRunner(name: string, rest: readonly Argument[]): Inner | undefined {
  const runner = WRAPPERS.get(name.replace(DYNAMIC_LINKER, "ld.so")) ?? RUNNERS.get(name) ??
    CONTAINED.get(name);
  if (runner === undefined) return undefined;
  const { groups, verbs, own, operands = 0, dashes, unless, joins, appends } = runner;
  if (rest.some(({ text }) => unless?.test(text))) return undefined;
  const skip = (at: number) => at + skipOptions(rest.slice(at), runner);
  let at = skip(0);
  if (groups?.test(rest[at]?.text ?? "")) at = skip(at + 1);
  const verb = rest[at]?.text ?? "";
  if (verbs?.test(verb)) at = skip(at + 1);
  else if (verbs !== undefined && !(own !== undefined && !own.test(verb))) return undefined;
  const after = dashes ? rest.findIndex(({ text }) => text === "--") : -1;
  at = after >= 0 ? after + 1 : at + operands;
  if (joins) at = skip(at);
  while (/^[A-Za-z_]\w*=/.test(rest[at]?.text ?? "")) at++;
  const [program, ...others] = rest.slice(at);
  if (program === undefined) return undefined;
  if (joins) return scriptFrom(join([program, ...others]));
  if (appends && /\s/.test(program.text)) {
    return scriptFrom({ ...program, text: program.text.replace(/\{[./#%\d]*\}/g, '"$INPUT"') });
  }
  // `rimraf@5` is the program of that package.
  const named = { ...program, text: program.text.replace(/(.)@[^/@]*$/, "$1") };
  return { kind: "command", words: [named, ...others, ...(appends ? [OPEN] : [])] };
}

/** Lines for each of which a command of `xargs` is read, at most. */
const MAX_LINES = 32;

/** The commands of `xargs`. @param input What it reads: a text, or one argument for all the words of it. */
export function inXargs(
  rest: readonly Argument[],
  input: string | Argument | undefined,
): Inner[] {
  const at = skipOptions(rest, WRAPPERS.get("xargs")!);
  const options = rest.slice(0, at);
  const words = rest.slice(at);
  const command = words.length === 0 ? [literal("echo")] : words;
  const has = (option: RegExp) => options.some(({ text }) => option.test(text));
  const isElsewhere = has(/^-a|^--arg-file/);
  const listed = typeof input === "object" && !isElsewhere ? input : OPEN;
  const isOther = typeof input === "object" || isElsewhere || has(/^-[0d]|^--(?:null|delimiter)/);
  const known = isOther ? undefined : input;
  const replaced = replacedBy(options);
  if (replaced === undefined) {
    const read = known?.split(/\s+/).filter((word) => word !== "").map(literal);
    return [{ kind: "command", words: [...command, ...read ?? [listed]] }];
  }
  const lines = known?.split("\n").map((line) => line.trim()).filter((line) => line !== "");
  const given = lines === undefined || lines.length > MAX_LINES ? [undefined] : lines;
  return given.map((line) => ({
    kind: "command",
    words: command.map((word) => {
      if (!word.text.includes(replaced)) return word;
      if (line === undefined) return word.text === replaced ? listed : OPEN;
      return { ...word, text: word.text.replaceAll(replaced, line) };
    }),
  }));
}

/** What `xargs -I{}` puts its input in the place of. */
function replacedBy(options: readonly Argument[]): string | undefined {
  const at = options.findIndex(({ text }) => /^-[Ii]|^--replace/.test(text));
  const text = options[at]?.text;
  if (text === undefined) return undefined;
  if (text === "-I") return options[at + 1]?.text;
  return text.replace(/^(?:-[Ii]|--replace=?)/, "") || "{}";
}
