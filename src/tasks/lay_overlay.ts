/**
 * Moves the scripts of an executable out of what the compiler embeds into its overlay, where a start reads only those that it
 * wants. For Linux, whose executables end with what is embedded; elsewhere it is mapped, and costs nothing unread.
 */
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { dirname } from "node:path";
import { embeddedStart, ID_BYTES, OVERLAY, type Overlay } from "./overlay.ts";
import { walk } from "./walk.ts";

/** What the compiler's part of an executable begins with. */
const EMBEDDED = "d3n0l4nd";

/** A bundle taken apart. */
export interface TakenApart {
  /** What is to be laid into the executable. */
  readonly overlay: Uint8Array;
  /** The path of the `main.js` that is to be compiled, with the folder around it. */
  readonly main: string;
}

/**
 * Copies a bundle without its scripts, which `main.js` finds in the overlay there.
 *
 * @param bundle The bundle's folder.
 * @param copy The folder to write.
 */
export async function takeApart(bundle: string, copy: string): Promise<TakenApart> {
  const files: Record<string, [start: number, bytes: number]> = {};
  const laid: Uint8Array[] = [];
  let length = 0;
  const paths = await Array.fromAsync(walk(bundle));
  for (const path of paths.sort()) {
    const bytes = await Deno.readFile(`${bundle}/${path}`);
    if (!path.endsWith(".bin")) {
      await Deno.mkdir(dirname(`${copy}/${path}`), { recursive: true });
      await Deno.writeFile(`${copy}/${path}`, bytes);
      continue;
    }
    files[path] = [length, bytes.length];
    length += bytes.length;
    laid.push(bytes);
  }
  const id = createHash("sha256").update(Buffer.concat(laid)).digest("hex");
  const known: Overlay = { id, bytes: length + ID_BYTES, files };
  const main = `${copy}/main.js`;
  await Deno.writeTextFile(
    main,
    `var ${OVERLAY}=${JSON.stringify(known)};${await Deno.readTextFile(main)}`,
  );
  return { overlay: Buffer.concat([...laid, Buffer.from(id)]), main };
}

/**
 * Lays an overlay into an executable.
 *
 * @throws {Error} When it does not end with what the compiler embedded; it is as it was then.
 */
export async function layOverlay(executable: string, overlay: Uint8Array): Promise<void> {
  const bytes = await Deno.readFile(executable);
  const start = embeddedStart((from, length) => bytes.slice(from, from + length), bytes.length);
  const begins = Buffer.from(bytes.subarray(start, start + EMBEDDED.length)).toString("latin1");
  if (begins !== EMBEDDED) throw new Error(`${executable} does not end with what is embedded`);
  await Deno.writeFile(
    executable,
    Buffer.concat([bytes.subarray(0, start), overlay, bytes.subarray(start)]),
  );
}
