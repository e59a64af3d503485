/** Characters that one token of a model stands for, on average (reference, §6). */
const CHARS_PER_TOKEN = 3.5;

/** How many characters fit into a budget of tokens. */
export function charsOfTokens(tokens: number): number {
  return Math.floor(tokens * CHARS_PER_TOKEN);
}

/** What a text costs a model, in tokens, estimated by its length: at least 1. */
export function estimateTokens(text: string): number {
  return Math.max(1, Math.floor(text.length / CHARS_PER_TOKEN));
}
