/** Placeholders for the page's scripts and style, which `deno task bundle` replaces. */
export const page = {
  script: 'document.body.textContent = "This program was not bundled: run `deno task bundle`.";',
  style: "",
  plot: "",
};
