/** What reading a script brings to light. */
import type { Budget } from "./budget.ts";
import type { ShellCommand } from "./command.ts";
import type { State } from "./state.ts";
import { foldersMade } from "./writes.ts";
import { WrittenScripts } from "./written.ts";

/** What a command that is kept costs: every rule is tried on it, and on its words. */
const STEPS_OF_COMMAND = 40;
const STEPS_OF_WORD = 10;

/** What one way through a script starts, in the order in which it is read. */
export class Findings {
  readonly commands: ShellCommand[] = [];
  /** Why more may be started, one reason each. */
  readonly unknown = new Set<string>();
  /** Why a part was not even looked at; null when all was. */
  tooLarge: string | null = null;
  /** Whether something is started where another way through the script would have left another shell. */
  hasChoices = false;
  #isChoiceOpen = false;
  readonly written = new WrittenScripts();
  readonly #made = new Set<string>();
  readonly #budget: Budget;

  constructor(budget: Budget) {
    this.#budget = budget;
  }

  /** Keeps a command. @param given `output`: what it prints, where that is known. */
  keep(
    { words, redirects, input, listing, state, output }:
      & Pick<ShellCommand, "words" | "redirects" | "input" | "listing">
      & { readonly state: State; readonly output?: string | undefined },
  ): ShellCommand {
    this.#budget.spend(STEPS_OF_COMMAND + words.length * STEPS_OF_WORD);
    const { folder, startedBy } = state;
    const gitDir = state.variables.get("GIT_DIR") ?? startedBy?.gitDir;
    const callsFunction = state.functions.has(words[0]?.text ?? "");
    const around = { listing, folder, gitDir, startedBy, callsFunction };
    const command: ShellCommand = { words, redirects, input, ...around };
    this.commands.push(command);
    this.hasChoices ||= this.#isChoiceOpen;
    for (const folder of foldersMade(command)) this.#made.add(folder);
    this.written.note(command, output);
    if (words[0]?.isOpen || words[0]?.isGlob) {
      this.unknown.add("which program it starts is only known when it runs");
    }
    return command;
  }

  /** Another way through the script would leave another shell to what is started from here on. */
  noteChoice(): void {
    this.#isChoiceOpen = true;
  }

  /** Whether the script has made a folder by then. */
  isMade(folder: string): boolean {
    return this.#made.has(folder);
  }
}
