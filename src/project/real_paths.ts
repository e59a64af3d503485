/** Where paths lead once all links are followed. */
import { baseName, joinPath, parentOf, resolvePath } from "../paths.ts";

const MAX_LINKS = 8;

/** Where one path leads. */
interface Real {
  readonly path: string;
  readonly isThere: boolean;
}

/** Remembers what was asked once, as long as nothing changes: asking for a file that is missing costs 30 µs and more. */
export class RealPaths {
  readonly #known = new Map<string, Real>();

  /** The path with all links followed, also when its end is not there yet, or is a link to nothing. */
  real(path: string): string {
    return this.#follow(path, 0).path;
  }

  /** Whether anything is there at the end of all links. */
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
    // Where a folder is known to be missing, all below it is.
    const entry = isTop || this.#known.get(above)?.isThere !== false ? entryAt(path) : null;
    try {
      if (entry !== null) {
        return { path: Deno.realPathSync(path).replaceAll("\\", "/"), isThere: true };
      }
    } catch {
      // It is a link to nothing.
    }
    if (isTop) return { path, isThere: false };
    if (entry !== null && entry.target !== null && links < MAX_LINKS) {
      return this.#follow(resolvePath(entry.target, { folder: above }), links + 1);
    }
    return { path: joinPath(this.#follow(above, links).path, baseName(path)), isThere: false };
  }
}

/** What is there, and where it leads as a link; null for nothing. */
function entryAt(path: string): { readonly target: string | null } | null {
  try {
    return { target: Deno.lstatSync(path).isSymlink ? Deno.readLinkSync(path) : null };
  } catch {
    return null;
  }
}

/** The path with all links followed, also when its end is not there yet, or is a link to nothing. */
export function realPath(path: string): string {
  return new RealPaths().real(path);
}
