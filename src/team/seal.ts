/** Encrypts bodies with the team's key, if there is one, so that the server cannot read them. */
import { createCipheriv, createDecipheriv, createHash, createHmac } from "node:crypto";
import { UserError } from "../base/errors.ts";

/** The row that a body belongs to: an encrypted body opens only for its own row. */
export interface SealedPlace {
  /** The project's name on the server. */
  readonly name: string;
  readonly uid: string;
}

export interface Seal {
  /** The first digits of the key's digest, which members compare; null without a key. */
  readonly fingerprint: string | null;
  readonly close: (body: string, place: SealedPlace) => string;
  /** @throws {Error} When the body was closed with another key, or for another place. */
  readonly open: (body: string, place: SealedPlace) => string;
}

const CIPHER = "aes-256-gcm";
const MARK = "aes1:";
const [NONCE_BYTES, TAG_BYTES] = [12, 16];

/** A seal without a key: it leaves bodies as they are, and refuses to open encrypted ones. */
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

/** Makes a seal. @param secret 32 bytes as 64 hexadecimal digits or in base 64. @throws {UserError} For other texts. */
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
      // The nonce depends on the body: the same body gives the same text, so that the server recognizes it.
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
