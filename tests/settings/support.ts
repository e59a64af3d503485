/** Runs `act` with a new folder and removes it afterwards, also when `act` fails. */
export async function inFolder(act: (folder: string) => void | Promise<void>): Promise<void> {
  const folder = Deno.realPathSync(Deno.makeTempDirSync());
  try {
    await act(folder);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

/** The permission bits of a file, as `chmod` takes them. */
export function modeOf(path: string): string {
  return ((Deno.statSync(path).mode ?? 0) & 0o777).toString(8);
}

/** The names in a folder, sorted. */
export function namesIn(folder: string): string[] {
  return [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
}
