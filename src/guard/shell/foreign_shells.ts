/** `powershell`, `pwsh` and `cmd`: the scripts that they are given, and those of `cmd` as ones of the POSIX shell. */
import { type Inner, join, type Language } from "./inner.ts";
import { type Argument, literal, OPEN } from "./word.ts";

/** `powershell`, `pwsh` and `cmd`, and the scripts that they are given; undefined for any other program. */
export function inForeignShell(
  name: string,
  rest: readonly Argument[],
  input: string | undefined,
): readonly Inner[] | undefined {
  const script = (text: Argument, language: Language): Inner[] => [
    { kind: "script", text, parameters: [], language },
  ];
  if (/^cmd$/i.test(name)) {
    const at = rest.findIndex(({ text }) => /^\/{1,2}[ck]$/i.test(text));
    return at < 0 ? [] : script(join(rest.slice(at + 1)), "cmd");
  }
  if (!/^(?:pwsh|powershell)(?:-preview)?$/i.test(name)) return undefined;
  for (const [i, word] of rest.entries()) {
    const [, option] = /^-{1,2}([a-z]+)$/i.exec(word.text) ?? [];
    const after = rest.slice(i + 1);
    if (option === undefined) {
      // A script in a file, which is not looked into; of the older program it is a command.
      return /^powershell/i.test(name) ? script(join(rest.slice(i)), "powershell") : [];
    }
    const is = (...names: readonly string[]) =>
      names.some((name) => name.startsWith(option.toLowerCase()));
    if (/^(?:e|ec)$/i.test(option) || (option.length > 1 && is("encodedcommand"))) {
      return script(after[0] === undefined ? OPEN : decoded(after[0]), "powershell");
    }
    if (is("command", "commandwithargs")) {
      if (after[0]?.text !== "-") return script(join(after), "powershell");
      return script(input === undefined ? OPEN : literal(input), "powershell");
    }
    if (is("file")) return [];
    if (TAKING_VALUE.some((name) => name.startsWith(option.toLowerCase()))) {
      const [value, ...others] = after;
      return value === undefined ? [] : inForeignShell(name, others, input);
    }
  }
  return input === undefined ? [] : script(literal(input), "powershell");
}

const TAKING_VALUE =
  "executionpolicy ep ex version windowstyle workingdirectory wd inputformat outputformat configurationname psconsolefile settingsfile"
    .split(" ");

/** Code as base64 of UTF-16. */
function decoded({ text, isOpen }: Argument): Argument {
  try {
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    return { text: new TextDecoder("utf-16le").decode(bytes), isOpen, isGlob: false };
  } catch {
    return OPEN;
  }
}

/** The commands of `cmd` itself that change files. */
const OF_CMD: Readonly<Record<string, string>> = {
  del: "rm -f",
  erase: "rm -f",
  rd: "rm -r",
  rmdir: "rm -r",
  copy: "cp",
  xcopy: "cp -r",
  robocopy: "cp -r",
  move: "mv",
  ren: "mv",
  rename: "mv",
  md: "mkdir -p",
  mkdir: "mkdir -p",
  mklink: "ln -s",
};

/** Writes a line of `cmd` as one of the POSIX shell. */
export function fromCmd(line: string): string {
  const plain = line.replaceAll(/\^(.)/gs, "$1").replaceAll("\\", "/")
    .replaceAll(/%(\w+)%/g, (_, name: string) => `$${/^userprofile$/i.test(name) ? "HOME" : name}`);
  return plain.replace(
    /(^|[&|(]\s*)(@?)([a-z]+)(?=[\s/]|$)((?:\s*\/[a-z?]+(?::\S*)?(?![\w/.]))*)/gi,
    (_, before: string, _at: string, name: string, options: string) => {
      const lower = name.toLowerCase();
      return before + (Object.hasOwn(OF_CMD, lower) ? OF_CMD[lower]! : lower + options);
    },
  );
}
