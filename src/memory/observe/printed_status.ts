/** `npm run build; echo "exit=$?"`: the status of a script that the shell hides, and that the script prints. */
import { isOnlyLooking } from "../looking_commands.ts";
import { isHarmless } from "./script_words.ts";
import { type ScriptCommand, tellsStatusOf } from "./shell_words.ts";

/** Of the last command, and of the first in the last pipe. */
const OF_LAST = /\$(?:\?|\{\?\})/;
const OF_PIPE = /\$(?:\{(?:PIPESTATUS\[0\]|pipestatus\[1\])\}|pipestatus\[1\])/;

/** A script with what it printed. */
interface Script {
  readonly command: string;
  readonly commands: readonly ScriptCommand[];
  readonly output: string;
}

/**
 * A script without its last step, which prints the status of the one before, with that status; null where none does, or
 * where it is not known of which command it is.
 *
 * @param printed What it wrote to its standard output, with which `output` begins.
 */
export function withPrintedStatus(
  { command, commands, output }: Script,
  printed: string,
): Script & { readonly exitCode: number } | null {
  const last = commands.at(-1);
  if (last?.words[0] !== "echo" || commands.at(-2)?.after !== ";") return null;
  if (isOnlyLooking(command)) return null;
  const line = printed.slice(printed.lastIndexOf("\n") + 1);
  const said = last.words.slice(1).filter((word) => !/^-[en]+$/.test(word)).join(" ");
  const asked = [OF_LAST, OF_PIPE].find((status) => status.test(said));
  const digits = asked === undefined ? null : statusIn(line, said.split("\\n"), asked);
  if (digits === null) return null;
  const before = commands.slice(0, -1);
  const known = asked === OF_PIPE ? untilPipe(before) : closed(before);
  if (known.some((one, at) => !isHarmless(one) && !tellsStatusOf(known, at))) return null;
  return {
    command: command.slice(0, command.lastIndexOf(last.source)).replace(/[\s;]+$/, ""),
    commands: known,
    output: printed.slice(0, -line.length).trimEnd() + output.slice(printed.length),
    exitCode: Number(digits),
  };
}

/** The number that stands in a line where the words that were to be printed have a status. */
function statusIn(line: string, said: readonly string[], status: RegExp): string | null {
  const [before = "", behind = ""] = said.find((part) => status.test(part))!.split(status);
  const isPlain = !/[$`]/.test(before + behind);
  const text = line.trim();
  const [start, end] = [before.trimStart(), behind.trimEnd()];
  if (!isPlain || !text.startsWith(start) || !text.endsWith(end)) return null;
  const digits = text.slice(start.length, text.length - end.length);
  return /^\d{1,3}$/.test(digits) ? digits : null;
}

/** The commands until the first of the last pipe. */
function untilPipe(commands: readonly ScriptCommand[]): ScriptCommand[] {
  return closed(commands.slice(0, commands.findLastIndex(({ before }) => before !== "|") + 1));
}

/** Commands behind which nothing comes any more. */
function closed(commands: readonly ScriptCommand[]): ScriptCommand[] {
  return commands.map((command, at) =>
    at === commands.length - 1 ? { ...command, after: "" } : command
  );
}
