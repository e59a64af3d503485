/**
 * What a tool use prints that asks for a secret: `printenv STRIPE_SECRET_KEY`, `mcp__vault__read_secret`. Its output is
 * one, whatever it looks like.
 */
import { withoutAnswer, withoutAsides } from "./answers.ts";
import { type Asked, askedOf } from "./commands.ts";

/** Tools that are called by what they are asked for. */
const ASKING_TOOL =
  /(?:get|read|show|fetch|reveal|retrieve|decrypt|view|lookup)[\w-]{0,40}(?:secret|passw(?:or)?d|credential)(?!s?_?(?:names|list))/i;
const ONE_SECRET: Asked = { answers: ["word"], isAlone: true, said: new Set(), leads: [] };
/** Fields of an answer with a text for people or for Claude. */
const TEXTS = /^(?:stdout|text|content|result|\d{1,4})$/;
const MAX_DEPTH = 4;

/**
 * Masks in a tool use what it printed that asked for a secret, in place.
 *
 * @param source The same before anything was masked: a pattern in a command may look like a secret.
 */
export function maskAsked(use: unknown, source: unknown): void {
  const holder: Record<string, unknown> = Object(use);
  const asked = askedBy(Object(source));
  if (asked === undefined) return;
  maskAside(holder, "error", asked);
  maskAside(Object(holder["tool_response"]), "stderr", asked);
  maskTexts(holder, "tool_response", { asked, depth: 0 });
}

function askedBy({ tool_name: tool, tool_input: input }: Record<string, unknown>) {
  const { command } = Object(input);
  if (typeof command === "string") return askedOf(command);
  return typeof tool === "string" && ASKING_TOOL.test(tool) ? ONE_SECRET : undefined;
}

function maskAside(holder: Record<string, unknown>, key: string, asked: Asked): void {
  const text = holder[key];
  if (typeof text === "string") holder[key] = withoutAsides(text, asked);
}

/** Masks a text, or the texts of a list of blocks. */
function maskTexts(
  holder: Record<string, unknown>,
  key: string,
  { asked, depth }: { readonly asked: Asked; readonly depth: number },
): void {
  const value = holder[key];
  if (typeof value === "string") {
    holder[key] = withoutAnswer(value, asked);
  } else if (typeof value === "object" && value !== null && depth < MAX_DEPTH) {
    for (const name of Object.keys(value)) {
      if (!TEXTS.test(name)) continue;
      maskTexts(value as Record<string, unknown>, name, { asked, depth: depth + 1 });
    }
  }
}
