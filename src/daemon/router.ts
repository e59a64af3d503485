/** Which route a path leads to. Paths are compared as they were sent: what is not spelled like a route is none. */
import { httpError } from "./api_error.ts";
import type { Route } from "./route.ts";

/** What a path leads to: a route with the values of its parameters, or the methods that it does know, if any. */
export type Found =
  | {
    readonly kind: "route";
    readonly route: Route;
    readonly params: Readonly<Record<string, string>>;
  }
  | { readonly kind: "none"; readonly methods: readonly string[] };

/** A request's address in parts, undecoded. */
export interface Target {
  readonly path: string;
  readonly query: string;
}

/** Longest address that is looked at, in characters. */
const MAX_TARGET_CHARS = 8_192;

/** Takes an address apart by hand: the runtime's own way would tidy up what was sent. @throws {UserError} INVALID_URL */
export function targetOf(url: string): Target {
  const rest = url.replace(/^[a-z+]+:\/\/[^/?#]*/i, "").replace(/#.*$/s, "");
  if (rest.length > MAX_TARGET_CHARS) {
    throw invalidUrl(`it is longer than ${MAX_TARGET_CHARS} characters`);
  }
  const end = rest.indexOf("?");
  return end < 0
    ? { path: rest, query: "" }
    : { path: rest.slice(0, end), query: rest.slice(end + 1) };
}

/** Finds the route for a method and a path. @throws {UserError} INVALID_URL when a parameter cannot be decoded. */
export type FindRoute = (method: string, path: string) => Found;

/** A route with the words of its path. */
interface Pattern {
  readonly route: Route;
  readonly words: readonly string[];
}

/** Prepares the way to routes: paths are taken apart once; only those as long as an address, with its first word, are compared. */
export function routerOf(routes: readonly Route[]): FindRoute {
  const patterns = routes.map((route): Pattern => ({ route, words: route.path.split("/") }));
  // A word stands before a parameter: `/tasks/ready` is no task.
  patterns.sort((a, b) => parametersOf(a) - parametersOf(b));
  const byShape = Map.groupBy(patterns, ({ words }) => shapeOf(words));
  return (method, path) => {
    const bare = path.startsWith("/api/") ? path.slice("/api".length) : path;
    const parts = bare.split("/");
    return findAmong(byShape.get(shapeOf(parts)) ?? [], method, parts);
  };
}

/** What can be told of a path before its words are compared. No path begins with a parameter. */
function shapeOf(words: readonly string[]): string {
  return `${words.length} ${words[1]}`;
}

function parametersOf({ words }: Pattern): number {
  return words.filter((word) => word.startsWith(":")).length;
}

function findAmong(
  patterns: readonly Pattern[],
  method: string,
  parts: readonly string[],
): Found {
  const matching = patterns
    .map(({ route, words }) => ({ route, params: match(words, parts) }))
    .filter((found) => found.params !== null);
  const found = matching.find(({ route }) => route.method === method);
  if (found === undefined) {
    return {
      kind: "none",
      methods: [...new Set(matching.map(({ route }) => route.method))].sort(),
    };
  }
  const params = Object.entries(found.params!).map(([name, text]) => [name, decode(text)]);
  return { kind: "route", route: found.route, params: Object.fromEntries(params) };
}

/** What is nobody's name, but a way to other folders. */
const NO_VALUES: ReadonlySet<string> = new Set(["", ".", ".."]);

function match(pattern: readonly string[], parts: readonly string[]) {
  const params: Record<string, string> = {};
  for (let i = 0; i < pattern.length; i++) {
    const [word, part] = [pattern[i]!, parts[i]!];
    if (word.startsWith(":") && !NO_VALUES.has(part)) params[word.slice(1)] = part;
    else if (word !== part) return null;
  }
  return params;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalidUrl("a part of its path is not encoded rightly");
  }
}

function invalidUrl(why: string) {
  return httpError("INVALID_URL", {
    what: "Cannot read the address",
    why: `${why}; nothing was changed`,
    next: "GET /openapi.json",
  });
}
