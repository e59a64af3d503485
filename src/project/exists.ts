/** True when anything is at a path, a link that leads nowhere included; false also where nobody can look. */
export function exists(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch {
    return false;
  }
}
