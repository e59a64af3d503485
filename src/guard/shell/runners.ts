/**
 * Programs that run another one out of a package, in a prepared environment, or in a container: `npx PROGRAM`,
 * `bundle exec PROGRAM`, `docker exec APP PROGRAM`.
 */
import type { Inner } from "./inner.ts";
import { skipOptions, type SkippedOptions } from "./operands.ts";
import { type Argument, literal, OPEN } from "./word.ts";

interface Runner extends SkippedOptions {
  /** What may stand before the verb: `compose`. */
  readonly groups?: RegExp;
  /** Before the program stands one of these verbs. */
  readonly verbs?: RegExp;
  /** Without such a verb any other word is the program as well, unless it is one of these. */
  readonly own?: RegExp;
  /** How many operands come before the program. */
  readonly operands?: number;
  /** The program comes after `--`. */
  readonly dashes?: true;
}

const EXEC: Runner = { verbs: /^exec$/ };
const RUN: Runner = { verbs: /^run$/ };
const RUN_AFTER_DASHES: Runner = { verbs: /^run$/, dashes: true };
const OF_NPM = {
  valued: "pw",
  valuedLong: ["package", "workspace", "filter", "prefix", "dir", "cwd"],
};
/** Verbs of package managers that are called like programs. */
const OWN = /^(?:install|link|unlink|rm|patch|run|test|start)$/;

const CONTAINER: Runner = {
  groups: /^(?:compose|container)$/,
  verbs: /^(?:exec|run)$/,
  operands: 1,
  valued: "aceflhHmnpuvw",
  valuedLong: [
    ..."add-host attach cap-add cap-drop cidfile context cpus detach-keys device dns entrypoint env env-file"
      .split(" "),
    ..."expose file gpus host hostname index ip ipc label link log-driver log-opt memory mount name network"
      .split(" "),
    ..."pid platform profile project-directory project-name publish pull restart runtime security-opt shm-size"
      .split(" "),
    ..."stop-signal stop-timeout tmpfs ulimit user userns volume volumes-from workdir".split(" "),
  ],
};
const POD: Runner = { verbs: /^exec$/, dashes: true };
/** In containers. */
const CONTAINED: ReadonlyMap<string, Runner> = new Map([
  ["docker", CONTAINER],
  ["podman", CONTAINER],
  ["nerdctl", CONTAINER],
  ["docker-compose", CONTAINER],
  ["podman-compose", CONTAINER],
  ["kubectl", POD],
  ["oc", POD],
]);

/** Here, by the program's name. */
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
  "env-cmd": { valued: "fre", valuedLong: ["file", "rc-file", "environments"] },
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
  fnm: { ...EXEC, valuedLong: ["using"] },
  nvm: { ...EXEC, operands: 1 },
  volta: { ...RUN, valuedLong: ["node", "npm", "yarn"] },
  uv: {
    ...RUN,
    valued: "p",
    valuedLong: ["with", "python", "project", "directory", "extra", "group", "env-file"],
  },
  uvx: { valued: "p", valuedLong: ["from", "with", "python"] },
  poetry: RUN,
  pipenv: RUN,
  pipx: { ...RUN, valuedLong: ["spec", "python"] },
  pdm: { ...RUN, valued: "p" },
  rye: RUN,
  hatch: RUN,
  conda: { ...RUN, valued: "np", valuedLong: ["name", "prefix", "cwd"] },
  doppler: RUN_AFTER_DASHES,
  op: RUN_AFTER_DASHES,
  infisical: RUN_AFTER_DASHES,
  "xvfb-run": { valued: "nsefpw", valuedLong: ["server-num", "server-args"] },
  "dbus-run-session": {},
  caffeinate: { valued: "tw" },
  chronic: {},
}));

/** Whether a program is one of these, or runs modules like them: `python -m black`. */
export function isRunner(name: string): boolean {
  return RUNNERS.has(name) || CONTAINED.has(name) || /^python[\d.]*$/.test(name);
}

/** Whether what a program runs has another file system than it has itself. */
export function isContaining(name: string): boolean {
  return CONTAINED.has(name);
}

/** The command that such a program runs; undefined where it runs none. */
export function inRunner(name: string, rest: readonly Argument[]): Inner | undefined {
  const runner = RUNNERS.get(name) ?? CONTAINED.get(name);
  if (runner === undefined) return undefined;
  const { groups, verbs, own, operands = 0, dashes } = runner;
  let at = skipOptions(rest, runner);
  if (groups?.test(rest[at]?.text ?? "")) at += 1 + skipOptions(rest.slice(at + 1), runner);
  const verb = rest[at]?.text ?? "";
  if (verbs?.test(verb)) at += 1;
  else if (verbs !== undefined && !(own !== undefined && !own.test(verb))) return undefined;
  const after = dashes ? rest.findIndex(({ text }) => text === "--") : -1;
  at = after >= 0 ? after + 1 : at + skipOptions(rest.slice(at), runner) + operands;
  while (/^[A-Za-z_]\w*=/.test(rest[at]?.text ?? "")) at++;
  const [program, ...others] = rest.slice(at);
  if (program === undefined) return undefined;
  // `rimraf@5` is the program of that package.
  const named = { ...program, text: program.text.replace(/(.)@[^/@]*$/, "$1") };
  return { kind: "command", words: [named, ...others] };
}

/** Lines for each of which a command is read, at most. */
const MAX_LINES = 32;

/**
 * The commands of `xargs`, whose own options and command are given.
 *
 * @param input What it reads: a text, or one argument for all the words of it.
 */
export function inXargs(
  options: readonly Argument[],
  words: readonly Argument[],
  input: string | Argument | undefined,
): Inner[] {
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
