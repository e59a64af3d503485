/** What a script prints that asks for secrets, as far as its commands tell. */
import { type Answer, answerOf, VARIABLE } from "./questions.ts";
import { isAboutSecret } from "../secret_maps.ts";
import { type Pipeline, pipelinesOf, substitutionsIn } from "../shell_steps.ts";

/** What a script prints. */
export interface Asked {
  /** Of each command that prints secrets. */
  readonly answers: readonly Answer[];
  /** Whether all that it prints is that. */
  readonly isAlone: boolean;
  /** What it prints as it stands there, and the words of its commands: `echo "---"`. */
  readonly said: ReadonlySet<string>;
  /** What stands on a line in front of a secret: `echo "key: $API_KEY"`. */
  readonly leads: readonly string[];
}

/** A longer script is not read. */
const MAX_CHARS = 2_000;
const MAX_DEPTH = 4;

/** What runs another command: behind its own options, in a container, on another machine. */
const RUNNERS = new Set(
  ("docker docker-compose podman nerdctl kubectl oc fly flyctl heroku railway nomad vagrant lxc ssh env direnv " +
    "chamber aws-vault doppler op bash zsh dash sh sudo doas time command exec nohup timeout nice npx bunx pnpm yarn " +
    "bundle uv poetry pipenv eval xargs su runuser gosu").split(" "),
);
/** They print nothing. */
const SILENT = new Set(
  ("cd set source . export unset true : pushd popd shopt trap sleep mkdir rm mv cp touch chmod chown wait exit return " +
    "read local declare readonly typeset [ [[ test alias umask for case").split(" "),
);
/** What takes what comes by a pipe, and prints nothing. */
const SINK = /^(?:pbcopy|clip|clip\.exe|xclip|xsel|wl-copy)$/;
/** What passes on what comes by a pipe, whole or a part of it. */
const FILTER =
  /^(?:base64|tr|head|tail|cat|tee|sort|uniq|grep|egrep|xxd|od|hexdump|rev|fold|column|iconv|openssl|sha\d*sum|shasum|md5sum|md5)$/;
/** The same, reduced to a value. */
const REDUCER = /^(?:jq|yq|cut|awk|gawk|sed|xargs|python[\d.]{0,4}|node|ruby|perl|php)$/;
/** What takes a line apart at `=`, behind which a setting has its value. */
const SPLITS = /(?<![^ ])-[dF] ?["']?=/;
const SUBSTITUTES = /(?<![^ ])s[/|#,].{0,20}=/;
const ASSIGNMENT = /^(\w{1,100})=/;
const MAKES_VARIABLES = /^(?:export|local|declare|readonly|typeset)$/;
const FORMAT = /^%s(?:\\n)?$/;

/** What a script prints that asks for a secret; undefined where it asks for none. */
export function askedOf(script: string): Asked | undefined {
  return script.length > MAX_CHARS
    ? undefined
    : readScript(script, { depth: 0, names: new Set(), leads: [] });
}

/** What a command prints; undefined where it is no secret. */
type Printed = Answer | "nothing" | undefined;

interface Reader {
  readonly depth: number;
  /** Variables that hold a secret which the script itself has asked for. */
  readonly names: Set<string>;
  readonly leads: string[];
}

function readScript(script: string, reader: Reader): Asked | undefined {
  const answers: Answer[] = [];
  const said = new Set<string>();
  let isAlone = true;
  for (const pipeline of pipelinesOf(script)) {
    const { commands, isSilent } = pipeline;
    for (const word of commands.flat()) said.add(word);
    const text = commands.length === 1 ? literalOf(commands[0]!) : undefined;
    const answer = isSilent ? "nothing" : answerOfPipeline(pipeline, reader);
    if (text !== undefined) said.add(text);
    else if (answer === undefined) isAlone = false;
    else if (answer !== "nothing") answers.push(answer);
  }
  return answers.length > 0 ? { answers, isAlone, said, leads: reader.leads } : undefined;
}

/** What the last command of a pipeline prints; undefined where it is no secret. */
function answerOfPipeline({ commands }: Pipeline, reader: Reader): Printed {
  let answer: Printed;
  for (const words of commands) {
    const [program = ""] = words;
    const own = answerOfCommand(words, reader);
    if (own !== undefined) answer = own;
    else if (SINK.test(program)) answer = "nothing";
    else if (REDUCER.test(program)) answer = reduced(answer, words);
    else if (!FILTER.test(program)) answer = undefined;
  }
  // What is behind its name is masked as everywhere.
  return answer === "named" ? undefined : answer;
}

/** What is left of an answer of which a part is taken: what is told of a secret is none. */
function reduced(answer: Printed, words: readonly string[]): Printed {
  if (answer === undefined || answer === "nothing") return answer;
  const [, name] = /\.["']?([\w-]{1,60})["'\]]{0,2}$/.exec(words.at(-1) ?? "") ?? [];
  if (name !== undefined && isAboutSecret(name)) return undefined;
  if (answer === "named") {
    if (/^g?awk$|^cut$/.test(words[0]!)) return SPLITS.test(words.join(" ")) ? "word" : "words";
    return words[0] === "sed" && SUBSTITUTES.test(words.join(" ")) ? "word" : undefined;
  }
  return answer === "settings" ? "word" : answer;
}

function answerOfCommand(words: readonly string[], reader: Reader): Printed {
  const first = words.findIndex((word) => !ASSIGNMENT.test(word));
  const own = ownAnswer(first === -1 ? [] : words.slice(first), reader);
  learn(words.slice(0, first === -1 ? words.length : first), reader);
  if (own !== undefined || !RUNNERS.has(words[first]!)) return own;
  // What runs behind its options and places, which nobody counts here.
  for (let index = first + 1; index < words.length; index++) {
    const word = words[index]!;
    const run = /\s/.test(word)
      ? answerOfScript(word, reader)
      : ownAnswer(words.slice(index), reader);
    if (run !== undefined && run !== "nothing") return run;
  }
  return undefined;
}

/** The same for a command that runs no other one. */
function ownAnswer([program, ...args]: readonly string[], reader: Reader): Printed {
  if (program === undefined) return "nothing";
  if (MAKES_VARIABLES.test(program)) learn(args, reader);
  if (SILENT.has(program)) return "nothing";
  if (program === "echo" || program === "printf") return answerOfEcho(args, reader);
  return answerOf([program, ...args]);
}

function answerOfScript(script: string, reader: Reader): Answer | undefined {
  if (reader.depth >= MAX_DEPTH) return undefined;
  const asked = readScript(script, { ...reader, depth: reader.depth + 1 });
  if (asked === undefined) return undefined;
  return asked.isAlone && asked.answers.length === 1 ? asked.answers[0] : "words";
}

/** Takes the names of variables that are set to a secret: `X=$(pass show a)`. */
function learn(assignments: readonly string[], reader: Reader): void {
  for (const assignment of assignments) {
    const [, name] = ASSIGNMENT.exec(assignment) ?? [];
    if (name === undefined) continue;
    if (substitutionsIn(assignment).some((it) => answerOfScript(it, reader) !== undefined)) {
      reader.names.add(name);
    }
  }
}

/** `echo $API_KEY`, `echo "key: $(pass show a)"`. */
function answerOfEcho(args: readonly string[], reader: Reader): Printed {
  const words = args[0] === "-n" || args[0] === "-e" ? args.slice(1) : args;
  const shown = FORMAT.test(words[0] ?? "") ? words.slice(1) : words;
  if (shown.length === 0) return "nothing";
  const text = shown.join(" ");
  const names = [VARIABLE, ...reader.names.values().map((name) => `${name}(?!\\w)`)].join("|");
  const variable = String
    .raw`\$(?:(?:${names})(?!\w)|\{(?:${names})(?:\}|:?-[^}]{0,40}\}|:\d|[%#/]))`;
  const [found] = new RegExp(variable, "i").exec(text) ?? [];
  const script = substitutionsIn(text)
    .find((script) => answerOfScript(script, reader) !== undefined);
  if (found === undefined && script === undefined) return undefined;
  const isWhole = text === found || text === `$(${script})` || text === `\x60${script}\x60`;
  if (isWhole) return "word";
  reader.leads.push(/^[^$\x60\\]*/.exec(text)![0]);
  return "said";
}

/** What `echo` prints that stands there as it is. */
function literalOf([program, ...args]: readonly string[]): string | undefined {
  const text = args.filter((arg) => !/^-[ne]$/.test(arg)).join(" ");
  return program === "echo" && text !== "" && !/[$\x60]/.test(text) ? text : undefined;
}
