/** Parts of other faces that the daemon serves. Faces do not import each other, so `main.ts` passes them in. */
import type { Verb } from "../operations/verb.ts";
import type { PageParts } from "./page_response.ts";

interface OtherFaces {
  readonly page: () => Promise<PageParts>;
  readonly explain: () => Promise<Verb>;
}

let known: OtherFaces | null = null;

export function takeFaces(faces: OtherFaces): void {
  known = faces;
}

export function otherFaces(): OtherFaces {
  if (known === null) throw new Error("nobody has said where the other faces are");
  return known;
}
