/** Collects what the reader of a script finds: commands, written files, unknown parts. */
import { type Argument, literal, placeOf, textIn, type Variables } from "./word.ts";
import type { ShellCommand } from "./shell_command.ts";
import { changesOfPatches, type PatchGround } from "./patches.ts";
import type { State } from "./state.ts";
import { findTargets } from "./writes.ts";
import { programName } from "./operands.ts";
import { findInner } from "./wrappers.ts";

export interface Disk extends Pick<PatchGround, "topOf"> {
  /** Tells whether a folder is the top of a repository. */
  readonly isTop: (folder: string) => boolean;
  /** Reads a file; null for a file that cannot be read or is too long. */
  readonly readText: (path: string) => string | null;
}

/** A command as the script writes it, the shell's state at that place, and the text that it prints, if that is known. */
type Found = Partial<ShellCommand> & {
  readonly state: State;
  readonly output?: string | undefined;
};

const STEPS_OF_COMMAND = 40;
const STEPS_OF_WORD = 10;

export class Findings {
  readonly commands: ShellCommand[] = [];
  /** Why the script may start more commands. */
  readonly unknown = new Set<string>();
  /** Why a part of the script was not read; null when all of it was read. */
  tooLarge: string | null = null;
  /** Whether a process that the script starts may still run when the script has ended. */
  leavesRunning = false;
  readonly #disk: Disk | undefined;
  readonly #home: string | null;
  /** The contents of files that earlier commands wrote, by path; null where the content is unknown. */
  readonly #written = new Map<string, string | null>();

  constructor(disk: Disk | undefined, home: string | null) {
    this.#disk = disk;
    this.#home = home;
  }

  keep(found: Found): ShellCommand {
    const { words: written = [], redirects = [], isFed = false, texts = [] } = found;
    const { input, isInputOpen, listing, state, output } = found;
    const { folder, startedBy, variables, functions } = state;
    // Paths are resolved in the folder, and functions, branches and loops copy the variables.
    const size = variables.size / 2 + (folder ?? "").length / 16;
    state.budget.spend(STEPS_OF_COMMAND + written.length * STEPS_OF_WORD + size);
    const [program] = written;
    const name = programName(program?.text ?? "");
    const words = name === "git" ? withGitVariables(written, variables) : written;
    const command: { -readonly [Key in keyof ShellCommand]: ShellCommand[Key] } = {
      program: name,
      args: words.slice(1),
      words,
      redirects,
      input,
      isInputOpen,
      isFed,
      listing,
      texts,
      folder,
      startedBy,
      hasOtherHome: variables.has("CLAUDE_CONFIG_DIR") ||
        (this.#home !== null && textIn(variables, "HOME") !== this.#home),
      gitDir: textIn(variables, "GIT_DIR") ?? startedBy?.gitDir,
      callsFunction: functions.has(program?.text ?? ""),
      patched: [],
      starts: [],
    };
    if (name === "git" || name === "patch") {
      command.patched = changesOfPatches(command, {
        topOf: (folder) => this.#disk?.topOf(folder) ?? folder,
        textOf: (file, folder) => this.#textOf(file, folder),
      });
    }
    this.commands.push(command);
    this.leavesRunning ||= DETACHING.has(name);
    if (WRITING.has(name) || redirects.length > 0) this.#note(command, output);
    if (program?.isOpen || program?.isGlob) {
      this.unknown.add("which program it starts is only known when it runs");
    }
    command.starts = findInner(command);
    return command;
  }

  /** Returns the text of a file that the script wrote; null where the text is unknown, undefined for other files. */
  textOfWritten(file: Argument, folder: string | null): string | null | undefined {
    const written = this.#written.get(placeOf(file, folder) ?? "");
    // A first line that names another interpreter means that it is no script of the shell.
    return written && /^#!(?!.*sh\b)/.test(written) ? null : written;
  }

  #note(command: ShellCommand, printed: string | undefined): void {
    for (const { path, by } of findTargets(command)) {
      if (path === null || !(REDIRECTS.has(by) || WRITING.has(by))) continue;
      const text = by === "tee" ? command.input : /^>\|?$/.test(by) ? printed : undefined;
      this.#written.set(path, text ?? null);
    }
  }

  /** Returns the text of a file at this place of the script; null if unknown, as after an unread change. */
  #textOf(file: Argument, folder: string | null): string | null {
    const written = this.textOfWritten(file, folder);
    const path = placeOf(file, folder);
    if (written !== undefined || path === null) return written ?? null;
    const isMade = this.commands.flatMap(findTargets)
      .some((target) => target.path === null || `${path}/`.startsWith(`${target.path}/`));
    return isMade ? null : this.#disk?.readText(path) ?? null;
  }
}

const REDIRECTS = new Set([">", ">|", ">>", "&>", "&>>"]);
/** Programs that write their input to a file, or download one. */
const WRITING = new Set(["tee", "curl", "wget"]);

/** Programs that run a command later, or in the background. */
const DETACHING = new Set("at batch crontab systemd-run screen tmux setsid daemonize".split(" "));

/** Adds the settings that variables give to git as options: `-c alias.x=…`. */
function withGitVariables(words: readonly Argument[], variables: Variables): readonly Argument[] {
  const quoted = textIn(variables, "GIT_CONFIG_PARAMETERS") ?? "";
  const count = Number(textIn(variables, "GIT_CONFIG_COUNT") ?? 0) || 0;
  const settings = [...quoted.matchAll(SETTING)]
    .map(([, name, equals = "", value = ""]) => name + equals + value);
  for (let i = 0; i < Math.min(count, MAX_SETTINGS); i++) {
    const key = textIn(variables, `GIT_CONFIG_KEY_${i}`);
    settings.push(`${key}=${textIn(variables, `GIT_CONFIG_VALUE_${i}`)}`);
  }
  const options = settings.flatMap((one) => [literal("-c"), literal(one)]);
  return options.length === 0 ? words : [words[0]!, ...options, ...words.slice(1)];
}

/** `'name=value'`, `'name'='value'` */
const SETTING = /'([^']*)'(?:(=)'([^']*)')?/g;
const MAX_SETTINGS = 50;
