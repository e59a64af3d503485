const PRIME = 0x01000193;

/**
 * FNV-1a over the UTF-16 units of a text, twice with different beginnings: 64 bits in hexadecimal. It tells contents
 * apart; it protects nothing.
 */
export function digestOf(text: string): string {
  let one = 0x811c9dc5;
  let other = 0x9747b28c;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    one = Math.imul(one ^ unit, PRIME);
    other = Math.imul(other ^ unit, PRIME) ^ (one >>> 15);
  }
  return hex(one) + hex(other);
}

function hex(bits: number): string {
  return (bits >>> 0).toString(16).padStart(8, "0");
}
