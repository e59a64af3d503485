/** `powershell` and `cmd`: the scripts that they are given. */
import { type Inner, join, type Language } from "./inner.ts";
import type { POWERSHELL } from "./powershell.ts";
import { type Argument, literal, OPEN } from "./word.ts";

type PowerShell = typeof POWERSHELL;

let reader: PowerShell | null = null;

/** Reads PowerShell from now on. The reader is loaded on demand, since most commands hold none. */
export function readPowerShellWith(loaded: PowerShell): void {
  reader = loaded;
}

/** The reader of PowerShell; null where nobody has loaded it. */
export function powerShell(): PowerShell | null {
  return reader;
}

/** Options of PowerShell whose value is the next word; each may be cut short. */
const VALUED =
  "executionpolicy ep ex version windowstyle workingdirectory wd inputformat outputformat configurationname psconsolefile settingsfile"
    .split(" ");

/** The scripts that `powershell`, `pwsh` and `cmd` are given; undefined for any other program. */
export function inForeignShell(
  name: string,
  rest: readonly Argument[],
  input: string | undefined,
): readonly Inner[] | undefined {
  const script = (text: Argument): Inner[] => [
    { kind: "script", text, parameters: [], language: "powershell" satisfies Language },
  ];
  if (/^cmd$/i.test(name)) {
    return rest.some(({ text }) => /^\/{1,2}[ck]$/i.test(text))
      ? [{ kind: "code", program: name }]
      : [];
  }
  if (!/^(?:pwsh|powershell)(?:-preview)?$/i.test(name)) return undefined;
  for (let at = 0; at < rest.length; at++) {
    const [, option] = /^-{1,2}([a-z]+)$/i.exec(rest[at]!.text.toLowerCase()) ?? [];
    const after = rest.slice(at + 1);
    // A script in a file is not looked into; for the older program it is a command.
    if (option === undefined) return /^powershell/i.test(name) ? script(join(rest.slice(at))) : [];
    if (/^ec?$/.test(option) || (option.length > 1 && "encodedcommand".startsWith(option))) {
      return [{ kind: "code", program: name }];
    }
    if ("commandwithargs".startsWith(option)) {
      return script(
        after[0]?.text !== "-" ? join(after) : input === undefined ? OPEN : literal(input),
      );
    }
    if ("file".startsWith(option)) return [];
    if (VALUED.some((valued) => valued.startsWith(option))) at++;
  }
  return input === undefined ? [] : script(literal(input));
}
