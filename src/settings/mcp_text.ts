/**
 * Our MCP server into the text of a file of Claude Code, and out of it again. Every other byte stays as it is: the file
 * is mostly somebody else's.
 */
import { parseTree } from "jsonc-parser";
import { addMember, type Json, type Node, removeMember, replaceValue } from "./json_text.ts";
import { memberOf } from "./member.ts";
import {
  type Attempt,
  mustBe,
  openObject,
  propertyAt,
  refusal,
  refuseTwins,
  valueAt,
} from "./settings_text.ts";

/** The name under which Claude Code knows our server. It is our mark as well. */
export const SERVER_NAME = "conclaude";

/** The word that makes the program an MCP server. */
export const SERVER_VERB = "mcp";

/** How Claude Code starts our server: a program and its arguments, without a shell. */
export interface ServerEntry {
  readonly command: string;
  readonly args: readonly string[];
}

/** What is edited: `keys` lead to the object of servers. */
export interface ServerEdit {
  readonly keys: readonly string[];
  readonly attempt: Attempt;
}

/** What stands under our name: nothing, a server of ours, or one that is not. */
export type FoundServer =
  | { readonly kind: "none" }
  | { readonly kind: "ours" | "foreign"; readonly value: unknown };

/**
 * What a file has under our name.
 *
 * @throws UserError When the text cannot be edited safely. One that does not even name us is not looked into.
 */
export function findServer(text: string, edit: ServerEdit): FoundServer {
  if (!text.includes(`"${SERVER_NAME}"`)) return { kind: "none" };
  const { body } = openObject(text, edit.attempt);
  const node = valueAt(openServers(body, edit), SERVER_NAME);
  if (node === undefined) return { kind: "none" };
  const value: unknown = JSON.parse(body.slice(node.offset, node.offset + node.length));
  return { kind: isOurs(value) ? "ours" : "foreign", value };
}

/**
 * The text with our server in it. One that is there is corrected where it stands; what else it says (`env`) stays.
 *
 * @throws UserError When the text cannot be edited safely, or when another server has our name.
 */
export function addServer(
  text: string,
  options: ServerEdit & { readonly entry: ServerEntry },
): string {
  const { keys, attempt, entry } = options;
  const { mark, body } = openObject(text, attempt);
  const servers = openServers(body, options);
  const own = valueAt(servers, SERVER_NAME);
  if (own === undefined) return mark + put(body, { keys, value: { type: "stdio", ...entry } });
  if (findServer(text, options).kind === "foreign") {
    throw refusal(attempt, {
      why: `another MCP server has the name \`${SERVER_NAME}\` there, and is not ours to change`,
      todo: `give that server another name, or remove it (\`claude mcp remove ${SERVER_NAME}\`),`,
    });
  }
  const corrected = correct(body, { path: [...keys, SERVER_NAME], entry });
  return corrected === body ? text : mark + corrected;
}

/**
 * The text without our server, and without the objects that held nothing else. The `mcpServers` of a project that is
 * known for other things stays: Claude Code gives one to each.
 *
 * @returns The text as it is when it has no server of ours.
 * @throws UserError When the text cannot be edited safely.
 */
export function removeServer(text: string, edit: ServerEdit): string {
  if (findServer(text, edit).kind !== "ours") return text;
  const { mark, body } = openObject(text, edit.attempt);
  const own = propertyAt(openServers(body, edit), SERVER_NAME);
  return own === undefined ? text : mark + removeMember(body, emptiedBy(own, edit.keys));
}

/** What we write, and what a person may have made of it: any program that is started as an MCP server by our verb. */
function isOurs(value: unknown): boolean {
  const type = memberOf(value, "type");
  const args = memberOf(value, "args");
  return (type === undefined || type === "stdio") &&
    typeof memberOf(value, "command") === "string" &&
    Array.isArray(args) && args.at(-1) === SERVER_VERB;
}

/** The object of servers; undefined when it is not there yet. */
function openServers(body: string, { keys, attempt }: ServerEdit): Node | undefined {
  let node = parseTree(body);
  let path = "";
  for (const key of [...keys, SERVER_NAME]) {
    if (node === undefined) return undefined;
    if (path !== "") mustBe("object", { node, path: `\`${path.slice(0, -1)}\``, attempt });
    refuseTwins(body, { object: node, keys: [key], path, attempt });
    if (key === SERVER_NAME) return node;
    path += `${key}.`;
    node = valueAt(node, key);
  }
  return undefined;
}

/** Puts a server under our name; what is missing on the way to it is made. */
function put(
  body: string,
  { keys, value }: { readonly keys: readonly string[]; readonly value: Json },
): string {
  let container = parseTree(body);
  const left = [...keys, SERVER_NAME];
  for (let next = valueAt(container, left[0]!); next !== undefined;) {
    container = next;
    left.shift();
    next = valueAt(container, left[0]!);
  }
  if (container === undefined) return body;
  const [key, ...inner] = left;
  const whole = inner.reduceRight<Json>((held, name) => ({ [name]: held }), value);
  return addMember(body, container, { key: key!, value: whole });
}

function correct(
  body: string,
  { path, entry }: { readonly path: readonly string[]; readonly entry: ServerEntry },
): string {
  let edited = body;
  for (const key of ["command", "args"] as const) {
    const server = path.reduce<Node | undefined>(valueAt, parseTree(edited));
    const property = propertyAt(server, key);
    const value = valueAt(server, key);
    if (property === undefined || value === undefined) continue;
    const present = edited.slice(value.offset, value.offset + value.length);
    if (JSON.stringify(JSON.parse(present)) === JSON.stringify(entry[key])) continue;
    edited = replaceValue(edited, property, entry[key]);
  }
  return edited;
}

/** The largest part of the text that would be empty without our server. */
function emptiedBy(own: Node, keys: readonly string[]): Node {
  let emptied = own;
  for (const _ of keys) {
    const holder = emptied.parent?.parent;
    const isAlone = emptied.parent?.children?.length === 1;
    if (holder === undefined || !isAlone) break;
    const isOfProject = keys.length > 1 && emptied === own;
    if (isOfProject && (holder.parent?.children?.length ?? 0) > 1) break;
    emptied = holder;
  }
  return emptied;
}
