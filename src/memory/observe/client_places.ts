/** Clients of a service: which one a script has called, and where; what it asks there makes no difference. */
import { nameOf } from "./launchers.ts";
import { isHarmless } from "./script_words.ts";
import { type ScriptCommand, scriptCommands, tellsStatusOf } from "./shell_words.ts";

interface Client {
  /** Options whose value is the next word, and says where. */
  readonly where: RegExp;
  /** Options whose value is the next word, and says what is asked or how. */
  readonly what: RegExp;
  /** Whether a word by itself says where; else it is what is asked. */
  readonly isNamed: boolean;
}

const CLIENTS: Readonly<Record<string, Client>> = {
  psql: {
    where: /^(?:-[hpdU]|--(?:host|port|dbname|username))$/,
    what: /^(?:-[cfvoPLFR]|--(?:command|file|set|variable|output|pset|log-file))$/,
    isNamed: true,
  },
  mysql: {
    where: /^(?:-[hPDSu]|--(?:host|port|database|socket|user))$/,
    what: /^(?:-e|--execute)$/,
    isNamed: true,
  },
  mongosh: {
    where: /^--(?:host|port|username|authenticationDatabase)$/,
    what: /^(?:-f|--eval|--file)$/,
    isNamed: true,
  },
  "redis-cli": {
    where: /^(?:-[hpsnu]|--user)$/,
    what: /^(?:-[araidx]|--pass|--askpass|--eval)$/,
    isNamed: false,
  },
};
const MAY_CALL = new RegExp(`(?:^|[\\s/;&(])(?:${Object.keys(CLIENTS).join("|")})\\s`);
/** With these nothing is asked. */
const ASKS_NOTHING = /^(?:--version|--help|-V|-\?)$/;
const VARIABLE = /(?<![\w-])(?:PG|MYSQL|REDIS)[A-Z_]{1,20}=\S+/g;

/** Whether a script may call a client. */
export function mayCallClient(script: string): boolean {
  return MAY_CALL.test(script);
}

/** The clients that a script has called and that went well, as it did, each with its place. */
export function calledPlaces(script: string): string[] {
  const commands = scriptCommands(script);
  return commands.flatMap((command, at) => {
    const place = tellsStatusOf(commands, at) ? placeOf(command) : null;
    return place === null ? [] : [place];
  });
}

/** The client that a script has called with its place, where it has done nothing else; null where it has. */
export function onlyPlace(script: string): string | null {
  const [command, ...others] = scriptCommands(script).filter((one) => !isHarmless(one));
  return command === undefined || others.length > 0 ? null : placeOf(command);
}

function placeOf({ source, words: [program = "", ...args] }: ScriptCommand): string | null {
  const name = nameOf(program);
  const client = Object.hasOwn(CLIENTS, name) ? CLIENTS[name]! : null;
  if (client === null || args.some((word) => ASKS_NOTHING.test(word))) return null;
  const place: string[] = source.match(VARIABLE) ?? [];
  for (let at = 0; at < args.length; at++) {
    const word = args[at]!;
    const [option] = word.startsWith("--") ? word.split("=", 1) : [word.slice(0, 2)];
    if (client.where.test(word)) place.push(`${word} ${args[++at] ?? ""}`);
    else if (client.what.test(word)) at++;
    else if (word.startsWith("-")) {
      if (client.where.test(option!)) place.push(word);
    } else if (client.isNamed) place.push(word);
    else break;
  }
  return [name, ...place.sort()].join(" ");
}
