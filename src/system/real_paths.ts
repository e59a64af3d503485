/** Follows the links in paths. */
import { quietly } from "../base/errors.ts";
import { baseName, joinPath, parentOf, resolvePath } from "../base/paths.ts";

const MAX_LINKS = 8;

type Real = Readonly<{ path: string; isThere: boolean }>;

/** Follows links and remembers the answers: each look at a missing file costs 30 µs or more. */
export class RealPaths {
  readonly #known = new Map<string, Real>();

  /** Returns the path with all links followed. Its end may be missing, or be a link to nothing. */
  real(path: string): string {
    return this.#follow(path, 0).path;
  }

  /** Tells whether anything is at the end of all links. */
  isThere(path: string): boolean {
    return this.#follow(path, 0).isThere;
  }

  #follow(path: string, links: number): Real {
    const known = this.#known.get(path);
    if (known !== undefined) return known;
    const real = this.#look(path, links);
    this.#known.set(path, real);
    return real;
  }

  #look(path: string, links: number): Real {
    const above = parentOf(path);
    const isTop = above === path || above === ".";
    // Below a missing folder everything is missing.
    const entry = isTop || this.#known.get(above)?.isThere !== false ? entryAt(path) : null;
    try {
      if (entry !== null) {
        return { path: Deno.realPathSync(path).replaceAll("\\", "/"), isThere: true };
      }
    } catch {
      // The path is a link to nothing.
    }
    if (isTop) return { path, isThere: false };
    if (entry !== null && entry.target !== null && links < MAX_LINKS) {
      return this.#follow(resolvePath(entry.target, { folder: above }), links + 1);
    }
    return { path: joinPath(this.#follow(above, links).path, baseName(path)), isThere: false };
  }
}

/** Returns what is at a path, with the target of a link; null where nothing is there. */
function entryAt(path: string): { readonly target: string | null } | null {
  const look = () => ({
    target: Deno.lstatSync(path).isSymlink ? Deno.readLinkSync(path) : null,
  });
  return quietly(look) ?? null;
}

/** Returns a path with all links followed, and remembers nothing. */
export function realPath(path: string): string {
  return new RealPaths().real(path);
}
