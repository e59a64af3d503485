/** The cmdlets of PowerShell that change files or start programs, each as a command of the POSIX shell. */
import { listedBy } from "./find_command.ts";
import { type Inner, join, type ShellCommand } from "./shell_command.ts";
import { type Argument, literal, OPEN, withText } from "./word.ts";
import WORDS from "./powershell.json" with { type: "json" };

interface Cmdlet extends Parameters {
  /** Its other names. Those before the bar are also programs of the POSIX shell. */
  readonly names: string;
  readonly does: (given: Given) => readonly Inner[];
}

const command = (...words: readonly (string | Argument)[]): Inner => ({
  kind: "command",
  words: words.map((word) => typeof word === "string" ? literal(word) : word),
});

/** The files that it works on: those among its words, else those that come through the pipe. */
function filesOf({ values, piped }: Given): readonly Argument[] {
  const named = values("literalpath", "path", "filepath");
  return named.length > 0 ? named : piped;
}

const written = (given: Given) => [command("tee", ...filesOf(given))];
const nothing = () => [];

/** Drives that hold no files. */
const NO_FILE = /^(?:alias|cert|env|function|hk\w+|variable|wsman):/i;

function removed(given: Given): readonly Inner[] {
  const { has, values } = given;
  const files = filesOf(given).filter(({ text }) => !NO_FILE.test(text));
  if (files.length === 0) return [];
  if (values("include", "filter").length > 0) return [command("rm", OPEN)];
  const options = `${has("recurse") ? "r" : ""}${has("force") ? "f" : ""}`;
  return [command("rm", ...(options === "" ? [] : [`-${options}`]), ...files)];
}

const placed = (program: string) => (given: Given): readonly Inner[] => {
  const to = given.values("destination");
  const options = program === "cp" && given.has("recurse") ? ["-r"] : [];
  return [command(program, ...options, ...filesOf(given), ...(to.length === 0 ? ["."] : to))];
};

function renamed(given: Given): readonly Inner[] {
  const [file] = filesOf(given);
  const [name] = given.values("newname");
  if (file === undefined || name === undefined) return [command("mv", OPEN, OPEN)];
  const folder = /^.*\//s.exec(file.text)?.[0] ?? "";
  return [command("mv", file, withText(name, folder + name.text))];
}

function made(given: Given): readonly Inner[] {
  const folders = given.values("path");
  const names = given.values("name");
  const files = names.length === 0
    ? folders
    : folders.length === 0
    ? names
    : names.map((name) => withText(name, `${folders[0]!.text}/${name.text}`));
  const [type] = given.values("itemtype");
  if (type === undefined || /^f/i.test(type.text)) return [command("touch", ...files)];
  if (/^d/i.test(type.text)) return [command("mkdir", ...files)];
  return [command("ln", "-s", ...given.values("value", "target"), ...files)];
}

function started({ values }: Given): readonly Inner[] {
  const text = join([...values("filepath"), ...values("argumentlist")]);
  return [{ kind: "script", text, parameters: [] }];
}

function loaded({ values }: Given): readonly Inner[] {
  const files = values("outfile", "destination");
  return files.length === 0 ? [] : [command("tee", ...files)];
}

function restricted(given: Given): readonly Inner[] {
  return [command("chmod", "600", ...filesOf(given))];
}

const PATH = ["path"];
const PARTS_OF_ITEM = ["name", "itemtype", "value", "target"];

const CMDLETS: Readonly<Record<string, Cmdlet>> = {
  "Remove-Item": { names: "rm rmdir | del erase rd ri", places: PATH, does: removed },
  "Clear-Item": { names: "cli", places: PATH, does: written },
  "Set-Content": { names: "sc", places: ["path", "value"], does: written },
  "Add-Content": { names: "ac", places: ["path", "value"], does: written },
  "Clear-Content": { names: "clc", places: PATH, does: written },
  "Set-Item": { names: "si", places: ["path", "value"], does: written },
  "Out-File": { names: "", places: ["filepath"], does: written },
  "Tee-Object": {
    names: "tee |",
    places: ["filepath"],
    does: (given) => given.has("variable") ? [] : written(given),
  },
  "Export-Csv": { names: "epcsv", places: PATH, does: written },
  "Export-Clixml": { names: "", places: PATH, does: written },
  "Start-Transcript": { names: "", places: PATH, does: written },
  "Move-Item": { names: "mv | mi move", places: ["path", "destination"], does: placed("mv") },
  "Copy-Item": { names: "cp | cpi copy", places: ["path", "destination"], does: placed("cp") },
  "Rename-Item": { names: "rni ren", places: ["path", "newname"], does: renamed },
  "New-Item": { names: "ni", places: PATH, others: PARTS_OF_ITEM, does: made },
  mkdir: { names: "md", places: PATH, does: ({ values }) => [command("mkdir", ...values("path"))] },
  "Set-ItemProperty": { names: "sp", places: ["path", "name", "value"], does: restricted },
  "Set-Acl": { names: "", places: ["path", "aclobject"], does: restricted },
  "Invoke-WebRequest": {
    names: "curl wget | iwr",
    places: ["uri"],
    others: ["outfile"],
    does: loaded,
  },
  "Invoke-RestMethod": { names: "irm", places: ["uri"], others: ["outfile"], does: loaded },
  "Start-BitsTransfer": { names: "", places: ["source", "destination"], does: loaded },
  "Expand-Archive": {
    names: "",
    places: ["path", "destinationpath"],
    does: (given) => {
      const [to = literal(".")] = given.values("destinationpath");
      return [command("unzip", "-d", to, ...filesOf(given))];
    },
  },
  "Compress-Archive": {
    names: "",
    places: ["path", "destinationpath"],
    does: ({ values }) => [command("tee", ...values("destinationpath"))],
  },
  "Format-Volume": { names: "", places: [], does: () => [command("mkfs")] },
  "Clear-Disk": { names: "", places: [], does: () => [command("mkfs")] },
  "Start-Process": { names: "saps start", places: ["filepath", "argumentlist"], does: started },
  "Invoke-Expression": {
    names: "iex",
    places: ["command"],
    does: ({ values, piped }) => {
      const code = values("command");
      const text = join(code.length > 0 ? code : piped);
      return [{ kind: "script", text, parameters: [], language: "powershell" }];
    },
  },
  "Get-ChildItem": { names: "ls | gci dir", places: PATH, does: nothing },
  "Get-Content": { names: "cat | gc type", places: PATH, does: nothing },
  "Sort-Object": { names: "sort |", places: ["property"], does: nothing },
};

const BY_NAME: ReadonlyMap<string, string> = new Map(
  Object.entries(CMDLETS).flatMap(([cmdlet, { names }]) =>
    [cmdlet, ...namesIn(names)].map((name) => [name.toLowerCase(), cmdlet] as const)
  ),
);

/** Cmdlets for which the POSIX shell has a command of its own. */
const SHELL_NAMES: ReadonlyMap<string, string> = new Map(Object.entries(WORDS.shellNames));

function namesIn(names: string): string[] {
  return names.split(/[\s|]+/).filter((name) => name !== "");
}

/** The program that a command starts: that of the POSIX shell, unless the name or a parameter is a cmdlet's. */
export function calledAs(
  name: string,
  words: readonly string[],
): { readonly name: string; readonly isCmdlet: boolean } {
  const lower = name.toLowerCase().replace(/^(?:microsoft\.powershell\.\w+\/)/, "");
  const shell = SHELL_NAMES.get(lower);
  if (shell !== undefined) return { name: shell, isCmdlet: false };
  const cmdlet = BY_NAME.get(lower);
  if (cmdlet === undefined) return { name: /^[a-z]+$/.test(lower) ? lower : name, isCmdlet: false };
  const [programs = ""] = CMDLETS[cmdlet]!.names.split("|", 1);
  const isProgram = CMDLETS[cmdlet]!.does !== nothing && lower !== cmdlet.toLowerCase() &&
    CMDLETS[cmdlet]!.names.includes("|") && namesIn(programs).includes(lower);
  return !isProgram || words.some((word) => parameterOf(word, { least: 2 }) !== null)
    ? { name: cmdlet, isCmdlet: true }
    : { name: lower, isCmdlet: false };
}

export function namesOfCmdlet(name: string): readonly string[] {
  return Object.hasOwn(CMDLETS, name) ? namesIn(CMDLETS[name]!.names) : [];
}

export function isCmdlet(name: string): boolean {
  return Object.hasOwn(CMDLETS, name) && name !== "mkdir";
}

/** Gives the POSIX commands that do the same as a cmdlet; undefined for any other program. */
export function inCmdlet(
  name: string,
  rest: readonly Argument[],
  { input, listing }: Pick<ShellCommand, "input" | "listing">,
): readonly Inner[] | undefined {
  if (!isCmdlet(name)) return undefined;
  const cmdlet = CMDLETS[name]!;
  const given = givenTo(cmdlet, rest);
  if (given.has("whatif")) return [];
  const piped = listing !== undefined
    ? [listedBy(listing.slice(1))]
    : input !== undefined
    ? input.split("\n").filter((line) => line !== "").map(literal)
    : [OPEN];
  return cmdlet.does({ ...given, piped });
}

interface Given {
  readonly has: (parameter: string) => boolean;
  readonly values: (...parameters: readonly string[]) => readonly Argument[];
  /** The names of files that come through the pipe; an open word stands for unknown ones. */
  readonly piped: readonly Argument[];
}

/** Parameters that take no value, and all parameters. */
const SWITCHES: readonly string[] = WORDS.switches;
const PARAMETERS = [...SWITCHES, ...WORDS.valued];
const ALIASES = new Map(Object.entries(WORDS.aliases));

/** The parameter that a word names by its beginning; null for none. The parameters in `own` come first. */
function parameterOf(
  word: string,
  { least, own = [] }: { readonly least: number; readonly own?: readonly string[] },
): string | null {
  const [, written] = /^-([a-z]+)(?::.*)?$/is.exec(word) ?? [];
  if (written === undefined || written.length < least) return null;
  const lower = written.toLowerCase();
  return ALIASES.get(lower) ?? PARAMETERS.find((name) => name === lower) ??
    [...own, ...PARAMETERS].find((name) => name.startsWith(lower)) ?? null;
}

interface Parameters {
  /** Parameters that need no name, in their order. */
  readonly places: readonly string[];
  /** More parameters that come before those which all cmdlets know. */
  readonly others?: readonly string[];
}

function givenTo(
  { places, others = [] }: Parameters,
  rest: readonly Argument[],
): Omit<Given, "piped"> {
  const own = [...places, ...others];
  const switches = new Set<string>();
  const given = new Map<string, Argument[]>();
  const byPlace: Argument[][] = [];
  let into: Argument[] | null = null;
  let isList = false;
  for (const word of rest) {
    const { text, isOpen } = word;
    if (text === "," && !isOpen) {
      isList = true;
      continue;
    }
    const parameter = isOpen && !text.includes(":") ? null : parameterOf(text, { least: 1, own });
    if (isList && into !== null) into.push(word);
    else if (parameter !== null) {
      const at = text.indexOf(":");
      into = null;
      if (SWITCHES.includes(parameter)) {
        const isOn = at < 0 || (parameter === "whatif" ? /:true$/ : /:(?!false$)/).test(text);
        if (isOn) switches.add(parameter);
      } else if (at >= 0) given.set(parameter, into = [withText(word, text.slice(at + 1))]);
      else given.set(parameter, into = []);
    } else if (into?.length === 0) into.push(word);
    else byPlace.push(into = [word]);
    isList = false;
  }
  const free = places.filter((place) =>
    !given.has(place) && !(place === "path" && given.has("literalpath"))
  );
  for (const [i, words] of byPlace.entries()) {
    const place = free[i] ?? free.at(-1);
    if (place !== undefined) given.set(place, [...given.get(place) ?? [], ...words]);
  }
  const values = (...parameters: readonly string[]) =>
    parameters.map((name) =>
      (given.get(name) ?? []).map((word) =>
        name === "literalpath" ? { ...word, isGlob: false } : word
      )
    ).find((words) => words.length > 0) ?? [];
  return { has: (name) => switches.has(name) || given.has(name), values };
}
