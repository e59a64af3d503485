/** Which versions of its tools a script chooses: what fails with one may pass with another. */
import { nameOf } from "./launchers.ts";
import type { ScriptCommand } from "./shell_words.ts";

/** Commands that choose a version for those behind them; without its options. */
const CHOOSES =
  /^(?:(?:nvm|fnm|mise|jabba|tfenv) use|(?:py|rb|j|nod|go|php)env (?:shell|local|global)|asdf (?:shell|local|global|set)|sdk use|(?:conda|mamba|micromamba) activate|rustup (?:default|override set)|module (?:load|swap)|n) (?!default$|system$)\S|^(?:source|\.) \S*\d\S*\/bin\/activate$/;
/** `cargo +1.60 test` */
const TOOLCHAIN = /^\+\S/;
/** `python3.8 -m pytest` */
const ONE_PYTHON = /^python\d\.\d+$/;

/** The versions that the commands before one of a script have chosen for it, and it itself; empty for most. */
export function chosenVersions(commands: readonly ScriptCommand[], at: number): string[] {
  const { words = [] } = commands[at] ?? {};
  const before = commands.slice(0, at).map(chosenBy).filter((version) => version !== "");
  const own = words.filter((word, n) =>
    n === 1 && TOOLCHAIN.test(word) || words[n + 1] === "-m" && ONE_PYTHON.test(nameOf(word))
  );
  return [...before, ...own.map(nameOf)];
}

/** Whether a command of a script chooses a version for those behind it. */
export function choosesVersion(command: ScriptCommand): boolean {
  return chosenBy(command) !== "";
}

function chosenBy({ words }: ScriptCommand): string {
  const plain = words.filter((word) => !word.startsWith("-")).join(" ");
  return CHOOSES.test(plain) ? plain : "";
}
