/** Writes the two files of a bundle, `main.js` and the file of modules, and puts the latter into an executable. */
import { createHash } from "node:crypto";
import { Buffer } from "node:buffer";
import { embeddedStart, IMPORT, MODULES, type Modules, MODULES_FILE, REQUIRE } from "./load.ts";

/** The program as scripts. Each script returns a list of modules: the number and the function of each. */
export interface Bundle {
  readonly main: string;
  /** A script for each module; the index is the module's number. */
  readonly modules: readonly string[];
  readonly groups: readonly Group[];
}

/** A script of several modules that are loaded together. */
export interface Group {
  readonly source: string;
  /** V8's code cache; empty when there is none. */
  readonly code: Uint8Array;
  /** The modules whose lazy import loads the script. */
  readonly entries: readonly number[];
}

/** Returns the script of one module. @param body The code of its function. */
export function scriptOf(number: number, body: string): string {
  return `[[${number},function(${REQUIRE},${IMPORT}){${body}}]]`;
}

export function joined(scripts: readonly string[]): string {
  return `[${scripts.map((source) => source.slice(1, -1)).join()}]`;
}

/** Writes a bundle into a folder. @param isLaid Whether the modules will lie in an executable's overlay. */
export async function writeBundle(
  folder: string,
  { main, modules, groups }: Bundle,
  isLaid = false,
): Promise<void> {
  const parts: Uint8Array[] = [];
  const scripts: number[] = [];
  let bytes = 0;
  for (const { source, code } of [...modules.map((source) => ({ source, code: "" })), ...groups]) {
    const text = Buffer.from(source);
    scripts.push(bytes, text.length, code.length);
    parts.push(text, Buffer.from(code));
    bytes += text.length + code.length;
  }
  const file = Buffer.concat(parts);
  const together: Record<number, number[]> = {};
  for (const [i, { entries }] of groups.entries()) {
    for (const entry of entries) (together[entry] ??= []).push(modules.length + i);
  }
  const index: Modules = { id: idOf(file), bytes, isLaid, scripts, together };
  await Deno.mkdir(folder, { recursive: true });
  await Deno.writeFile(`${folder}/${MODULES_FILE}`, file);
  const begin = `var ${MODULES}=${JSON.stringify(JSON.stringify(index))};\n`;
  await Deno.writeTextFile(`${folder}/main.js`, begin + main);
}

/**
 * Puts the file of modules into an executable, as its overlay. Only Linux needs it, where the embedded files are the
 * end of the executable. Other systems map them, and unread files cost nothing.
 * @throws {Error} When the executable does not end with the embedded files; it stays unchanged then.
 */
export async function layOverlay(executable: string, modules: Uint8Array): Promise<void> {
  const bytes = await Deno.readFile(executable);
  const start = embeddedStart((from, length) => bytes.slice(from, from + length), bytes.length);
  // The embedded part begins with this word of the compiler.
  if (Buffer.from(bytes).indexOf("d3n0l4nd", start) !== start) {
    throw new Error(`${executable} does not end with what is embedded`);
  }
  const overlay = [modules, Buffer.from(idOf(modules))];
  const laid = Buffer.concat([bytes.subarray(0, start), ...overlay, bytes.subarray(start)]);
  await Deno.writeFile(executable, laid);
}

function idOf(modules: Uint8Array): string {
  return createHash("sha256").update(modules).digest("hex");
}
