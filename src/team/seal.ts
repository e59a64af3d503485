/** Encrypts bodies with the team's key, where there is one: the server then holds nothing that it can read. */
import { createCipheriv, createDecipheriv, createHash, createHmac } from "node:crypto";
import { UserError } from "../base/errors.ts";

/** What a body belongs to: it opens nowhere else. */
export interface SealedPlace {
  /** The project's name on the server. */
  readonly name: string;
  readonly uid: string;
}

export interface Seal {
  /** The first digits of the key's digest, which members compare; null without a key. */
  readonly fingerprint: string | null;
  readonly close: (body: string, place: SealedPlace) => string;
  /** @throws {Error} When it was closed with another key, or for another place. */
  readonly open: (body: string, place: SealedPlace) => string;
}

const CIPHER = "aes-256-gcm";
const MARK = "aes1:";
const [NONCE_BYTES, TAG_BYTES] = [12, 16];

/** Leaves bodies as they are. One that somebody else encrypted does not open. */
export const NO_SEAL: Seal = {
  fingerprint: null,
  close: (body) => body,
  open(body) {
    if (body.startsWith(MARK)) {
      throw new Error("it is encrypted, and this machine has no key for it");
    }
    return body;
  },
};

/** @param secret 32 bytes as 64 hexadecimal digits or in base 64. @throws {UserError} */
export function sealWith(secret: string): Seal {
  const isBase64 = /^[A-Za-z\d+/]{43}=$/.test(secret);
  const key = Buffer.from(
    isBase64 ? secret : /^[\da-f]{64}$/i.exec(secret)?.[0] ?? "",
    isBase64 ? "base64" : "hex",
  );
  if (key.length !== 32) {
    throw new UserError("Cannot use the team's key", {
      why: "it has to be 32 bytes: 64 hexadecimal digits, or base 64",
      next: "Make one: openssl rand -hex 32",
    });
  }
  const aad = ({ name, uid }: SealedPlace) => Buffer.from(`${name}\n${uid}`);
  return {
    fingerprint: createHash("sha256").update(key).digest("hex").slice(0, 16),
    close(body, place) {
      // Made of the body: the same body is closed the same way, so that the server knows it again.
      const nonce = createHmac("sha256", key).update(aad(place)).update(body).digest().subarray(
        0,
        NONCE_BYTES,
      );
      const cipher = createCipheriv(CIPHER, key, nonce).setAAD(aad(place));
      const text = Buffer.concat([cipher.update(body, "utf8"), cipher.final()]);
      return MARK + Buffer.concat([nonce, cipher.getAuthTag(), text]).toString("base64");
    },
    open(body, place) {
      if (!body.startsWith(MARK)) throw new Error("it is not encrypted, and this team has a key");
      const bytes = Buffer.from(body.slice(MARK.length), "base64");
      const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES)).setAAD(
        aad(place),
      );
      decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      try {
        const text = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES));
        return Buffer.concat([text, decipher.final()]).toString("utf8");
      } catch {
        throw new Error("it was encrypted with another key, or for another row");
      }
    },
  };
}
