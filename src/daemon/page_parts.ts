/** The page, which is another face. Faces do not import each other, so `main.ts` passes it in. */
import type { PageParts } from "./page_response.ts";

let loadPage: (() => Promise<PageParts>) | null = null;

export function takePage(load: () => Promise<PageParts>): void {
  loadPage = load;
}

export function pageParts(): Promise<PageParts> {
  if (loadPage === null) throw new Error("nobody has said where the page is");
  return loadPage();
}
