/** Collects what is found while a script is read: commands, written files, and what stays unknown. */
import { type Argument, type Budget, literal, placeOf, textIn, type Variables } from "./word.ts";
import type { ShellCommand } from "./shell_command.ts";
import { changesOfPatches, type PatchGround } from "./patches.ts";
import type { State } from "./state.ts";
import { findTargets } from "./writes.ts";
import { programName } from "./operands.ts";

export interface Disk extends Pick<PatchGround, "topOf"> {
  /** Whether a folder is the top of a repository. */
  readonly isTop: (folder: string) => boolean;
  /** Reads a file; null when it cannot be read, or is too long. */
  readonly readText: (path: string) => string | null;
}
const STEPS_OF_COMMAND = 40;
const STEPS_OF_WORD = 10;

export class Findings {
  readonly commands: ShellCommand[] = [];
  /** Why the script may start more commands. */
  readonly unknown = new Set<string>();
  /** Why a part of the script was not read; null when all was. */
  tooLarge: string | null = null;
  readonly written = new WrittenScripts();
  readonly #disk: Disk;
  readonly #budget: Budget;

  readonly #home: string | null;

  constructor(disk: Disk, budget: Budget, home: string | null) {
    this.#home = home;
    this.#disk = disk;
    this.#budget = budget;
  }

  /** Keeps a command. `output` is what it prints, where that is known. */
  keep(
    { words, redirects, input, listing, isFed = false, texts = [], state, output }:
      & Pick<ShellCommand, "words" | "redirects" | "input" | "isFed" | "listing" | "texts">
      & { readonly state: State; readonly output?: string | undefined },
  ): ShellCommand {
    this.#budget.spend(STEPS_OF_COMMAND + words.length * STEPS_OF_WORD);
    const { folder, startedBy } = state;
    const gitDir = textIn(state.variables, "GIT_DIR") ?? startedBy?.gitDir;
    const callsFunction = state.functions.has(words[0]?.text ?? "");
    const { variables } = state;
    const hasOtherHome = variables.has("CLAUDE_CONFIG_DIR") ||
      (this.#home !== null && textIn(variables, "HOME") !== this.#home);
    const around = {
      hasOtherHome,
      listing,
      isFed,
      texts,
      folder,
      gitDir,
      startedBy,
      callsFunction,
    };
    const patched = changesOfPatches({ words, redirects, input, folder }, {
      topOf: this.#disk.topOf,
      textOf: (file, folder) => this.#textOf(file, folder),
    });
    const command: ShellCommand = {
      words: withGitVariables(words, state.variables),
      redirects,
      input,
      patched,
      ...around,
    };
    this.commands.push(command);
    this.written.note(command, output);
    if (words[0]?.isOpen || words[0]?.isGlob) {
      this.unknown.add("which program it starts is only known when it runs");
    }
    return command;
  }

  /** The text of a file at this place of the script; null when an earlier command may have changed it. */
  #textOf(file: Argument, folder: string | null): string | null {
    const written = this.written.textOf(file, folder);
    const path = placeOf(file, folder);
    if (written !== undefined || path === null) return written ?? null;
    const isMade = this.commands.flatMap(findTargets)
      .some((target) =>
        target.path === null || path === target.path || path.startsWith(`${target.path}/`)
      );
    return isMade ? null : this.#disk.readText(path);
  }
}

/** Git with the settings that variables give it, as options: `-c alias.x=…`. */
function withGitVariables(
  words: readonly Argument[],
  variables: Variables,
): readonly Argument[] {
  const [program, ...rest] = words;
  if (program === undefined || programName(program.text) !== "git") return words;
  const quoted = textIn(variables, "GIT_CONFIG_PARAMETERS") ?? "";
  const count = Math.min(Number(textIn(variables, "GIT_CONFIG_COUNT") ?? 0), MAX_SETTINGS) || 0;
  const settings = [
    ...Array.from(
      quoted.matchAll(SETTING),
      ([, name, equals = "", value = ""]) => name + equals + value,
    ),
    ...Array.from(
      { length: count },
      (_, i) =>
        `${textIn(variables, `GIT_CONFIG_KEY_${i}`)}=${textIn(variables, `GIT_CONFIG_VALUE_${i}`)}`,
    ),
  ];
  return settings.length === 0
    ? words
    : [program, ...settings.flatMap((one) => [literal("-c"), literal(one)]), ...rest];
}

/** `'name=value'`, `'name'='value'` */
const SETTING = /'([^']*)'(?:(=)'([^']*)')?/g;
const MAX_SETTINGS = 50;

const REDIRECTS = new Set([">", ">|", ">>", "&>", "&>>"]);
/** Programs that write their input into a file, or load one. */
const PROGRAMS = new Set(["tee", "curl", "wget"]);

/** The files that commands wrote so far, by their paths. */
class WrittenScripts {
  /** Null where the content is unknown. */
  readonly #texts = new Map<string, string | null>();

  /** Notes which files a command writes; `printed` is what it prints, where that is known. */
  note(command: ShellCommand, printed: string | undefined): void {
    const [program] = command.words;
    const isMaking = program !== undefined && PROGRAMS.has(programName(program.text));
    if (!isMaking && command.redirects.length === 0) return;
    for (const { path, by } of findTargets(command)) {
      if (path === null || !(REDIRECTS.has(by) || PROGRAMS.has(by))) continue;
      const text = by === "tee" ? command.input : /^>\|?$/.test(by) ? printed : undefined;
      this.#texts.set(path, text ?? null);
    }
  }

  /** The content of a file; null when it is unknown, undefined when the script did not write the file. */
  textOf(file: Argument, folder: string | null): string | null | undefined {
    const written = this.#texts.get(placeOf(file, folder) ?? "");
    // With another first line it is no script of the shell.
    return written && /^#!(?!.*sh\b)/.test(written) ? null : written;
  }
}
