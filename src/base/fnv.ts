/** Computes fast digests of texts. */
const PRIME = 0x01000193;

/** Returns an FNV-1a hash of a text and a variant of it: 64 bits in hexadecimal. They do not resist forgery. */
export function digestOf(text: string): string {
  const [one, other] = digestHalves(text);
  return hex(one) + hex(other);
}

/** Returns the two halves of {@linkcode digestOf}, each a whole number of 32 bits. */
export function digestHalves(text: string): readonly [one: number, other: number] {
  let one = 0x811c9dc5;
  let other = 0x9747b28c;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    one = Math.imul(one ^ unit, PRIME);
    other = Math.imul(other ^ unit, PRIME) ^ (one >>> 15);
  }
  return [one >>> 0, other >>> 0];
}

function hex(bits: number): string {
  return bits.toString(16).padStart(8, "0");
}
