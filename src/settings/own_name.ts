/** The names under which conclaude goes about. */

/** What a release or a packager puts behind our name, beside a version: the system, the machine, the kind of file. */
const PLATFORM_WORDS: ReadonlySet<string> = new Set([
  ..."linux macos mac osx darwin apple windows win pc unknown gnu musl msvc".split(" "),
  ..."x64 x86 amd64 arm64 aarch64 universal".split(" "),
  ..."alpha beta rc dev nightly exe cmd".split(" "),
]);

/** `2`, `v0`, `64`, `rc1`: one number of a version, or the width of a machine's words. */
const VERSION_NUMBER = /^(?:v|rc|alpha|beta|win)?\d+$/;

/**
 * True for `conclaude` with a version or a platform behind it, and nothing else: `conclaude.exe`, `conclaude2`,
 * `conclaude-0.1.0`, `conclaude-linux-x86_64`. `conclaude-notify` is another program's name, and `cc-state` may be ours
 * or not: only a mark can tell (`OWN_MARK`).
 */
export function isOurName(name: string): boolean {
  const rest = /^conclaude(?![a-z])(.*)$/is.exec(name)?.[1];
  return rest !== undefined &&
    rest.toLowerCase().split(/[-_.+]/).every((part) =>
      part === "" || PLATFORM_WORDS.has(part) || VERSION_NUMBER.test(part)
    );
}
