/** Servers of this machine: on which ports a script shows that one answers, and which one it starts. */
import { commandKey } from "./command_key.ts";
import { nameOf } from "./launchers.ts";
import { folderBefore } from "./script_words.ts";
import { scriptCommands, tellsStatusOf } from "./shell_words.ts";

const ASKS: ReadonlySet<string> = new Set(["curl", "wget", "http", "xh"]);
const PORT_HERE =
  /^["']?(?:https?:\/\/)?(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\]):(\d{2,5})(?!\d)/;
/** `Server listening on port 3000`, `ready on http://localhost:3000` */
const LISTENS =
  /\b(?:listening|listens|running|started|serving|ready|available)\b.{0,80}?(?::|\bport )(\d{2,5})(?!\d)/i;
const MAY_SERVE = /\b(?:curl|wget|https?|xh)\b|&\s/;
/** What is printed goes elsewhere, and the end of the shell ends nothing. */
const IN_BACKGROUND = /^(?:nohup|setsid) |\s*(?:\d|&)?>>?\s*(?!&)\S+/g;
const MAX_LINES = 200;
const LOOKED_AT_CHARS = 400;

/** Whether a script may show that a server answers. */
export function mayShowServer(script: string): boolean {
  return MAY_SERVE.test(script);
}

/**
 * The ports of this machine on which a server answers, as a script that went well shows: it has asked there, or what it has
 * started itself says that it listens.
 */
export function answeringPorts(script: string, output: string): ReadonlySet<string> {
  const commands = scriptCommands(script);
  const asked = commands.flatMap(({ words: [program = "", ...args] }, at) =>
    ASKS.has(nameOf(program)) && tellsStatusOf(commands, at)
      ? args.map((word) => PORT_HERE.exec(word)?.[1] ?? "")
      : []
  );
  const listened = commands.some(({ after }) => after === "&")
    ? output.split("\n").slice(-MAX_LINES)
      .map((line) => LISTENS.exec(line.slice(0, LOOKED_AT_CHARS))?.[1] ?? "")
    : [];
  return new Set([...asked, ...listened].filter((port) => port !== ""));
}

/**
 * The commands of a script that go on in the background, each with its folder and the same for every way to send it there.
 *
 * @param isLast Whether the last one counts as well: the script goes on there, or is called as if it did.
 */
export function sentToBackground(script: string, isLast: boolean): string[] {
  const commands = scriptCommands(script);
  return commands.flatMap(({ source, after }, at) =>
    after === "&" || isLast && at === commands.length - 1
      ? [`${folderBefore(commands, at)} ${commandKey(source.replace(IN_BACKGROUND, "").trim())}`]
      : []
  );
}

/** Whether a text has a port in it. */
export function namesPort(text: string, port: string): boolean {
  return new RegExp(`(?<![\\d.])${port}(?!\\d)`).test(text);
}
