/** The page's scripts and style. `deno task bundle` puts the real ones into its place. */
export const page = {
  script: 'document.body.textContent = "This program was not bundled: run `deno task bundle`.";',
  style: "",
  plot: "",
};
