/** What `xargs` starts: with the words that it reads, where the script says which those are. */
import type { Inner } from "./inner.ts";
import { type Argument, literal, OPEN } from "./word.ts";

/** Lines for each of which a command is read, at most. */
const MAX_LINES = 32;

/**
 * The commands of `xargs`, whose own options and command are given.
 *
 * @param input What it reads: a text, or one argument for all the words of it.
 */
export function inXargs(
  options: readonly Argument[],
  words: readonly Argument[],
  input: string | Argument | undefined,
): Inner[] {
  const command = words.length === 0 ? [literal("echo")] : words;
  const has = (option: RegExp) => options.some(({ text }) => option.test(text));
  const isElsewhere = has(/^-a|^--arg-file/);
  const listed = typeof input === "object" && !isElsewhere ? input : OPEN;
  const isOther = typeof input === "object" || isElsewhere || has(/^-[0d]|^--(?:null|delimiter)/);
  const known = isOther ? undefined : input;
  const replaced = replacedBy(options);
  if (replaced === undefined) {
    const read = known?.split(/\s+/).filter((word) => word !== "").map(literal);
    return [{ kind: "command", words: [...command, ...read ?? [listed]] }];
  }
  const lines = known?.split("\n").map((line) => line.trim()).filter((line) => line !== "");
  const given = lines === undefined || lines.length > MAX_LINES ? [undefined] : lines;
  return given.map((line) => ({
    kind: "command",
    words: command.map((word) => {
      if (!word.text.includes(replaced)) return word;
      if (line === undefined) return word.text === replaced ? listed : OPEN;
      return { ...word, text: word.text.replaceAll(replaced, line) };
    }),
  }));
}

/** What `xargs -I{}` puts its input in the place of. */
function replacedBy(options: readonly Argument[]): string | undefined {
  const at = options.findIndex(({ text }) => /^-[Ii]|^--replace/.test(text));
  const text = options[at]?.text;
  if (text === undefined) return undefined;
  if (text === "-I") return options[at + 1]?.text;
  return text.replace(/^(?:-[Ii]|--replace=?)/, "") || "{}";
}
