/**
 * How to take an installation back so exactly that nothing shows it was there.
 */
import { isUserError } from "../errors.ts";
import { installInto, type InstallPlan, readOwnEntries, uninstallFrom } from "./edit.ts";
import type { Ownership } from "./own_handler.ts";
import type { Target } from "./settings_text.ts";

/** What is left of a settings file without our hooks. */
export type Removal =
  /** There were none. */
  | { readonly kind: "absent" }
  /** Only the installation has touched the file since the backup: its bytes come back. */
  | { readonly kind: "restored"; readonly text: string }
  /** Only the installation is in the file: it was made by it. */
  | { readonly kind: "deleted" }
  /** The file has changed since; our handlers are cut out of it. */
  | { readonly kind: "edited"; readonly text: string };

/**
 * Decides how our hooks leave a settings file.
 *
 * The backup is trusted only when installing into it today gives exactly the present text. So nothing that was written
 * after the installation is ever lost, and an outdated backup does no harm.
 *
 * @throws UserError When the text cannot be edited safely.
 */
export function planRemoval(
  text: string,
  options: Ownership & Target & { readonly backup: string | undefined },
): Removal {
  const { path, flags, backup, ...ownership } = options;
  const attempt = { command: "uninstall-hooks", path, flags } as const;
  const entries = readOwnEntries(text, { ...ownership, attempt });
  if (entries.length === 0) return { kind: "absent" };
  const plan = { ...ownership, path, entries };
  if (backup !== undefined && isOriginOf(text, { plan, origin: backup })) {
    return { kind: "restored", text: backup };
  }
  if (isOriginOf(text, { plan, origin: "" })) return { kind: "deleted" };
  return { kind: "edited", text: uninstallFrom(text, { ...ownership, path }).text };
}

/** True when `origin` has none of our hooks, and installing them by `plan` gives exactly `text`. */
export function isOriginOf(
  text: string,
  options: { readonly plan: InstallPlan; readonly origin: string },
): boolean {
  const { plan, origin } = options;
  const attempt = { command: "install-hooks", path: plan.path } as const;
  try {
    return readOwnEntries(origin, { ...plan, attempt }).length === 0 &&
      installInto(origin, plan).text === text;
  } catch (thrown) {
    if (isUserError(thrown)) return false;
    throw thrown;
  }
}
