/** `deno task draw-demo`: plays the demo and draws what it prints into `docs/demo.svg`. */
import { REPOSITORY, runDeno, runTask } from "./run_deno.ts";

const LINE_HEIGHT = 18;
const WIDTH = 700;

/** Draws the text of a terminal as SVG; titles, which begin at the left edge, are bright. */
export function svgOf(text: string): string {
  const lines = text.trim().split("\n");
  const rows = lines.map((line, i) => {
    const escaped = line.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
    const colour = /^\S/.test(line) ? "#ffffff" : "#b8c4ce";
    return `<text x="16" y="${(i + 2) * LINE_HEIGHT}" fill="${colour}">${escaped}</text>`;
  });
  const height = (lines.length + 2) * LINE_HEIGHT;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="monospace" font-size="13" xml:space="preserve">`,
    `<rect width="100%" height="100%" rx="8" fill="#16202a"/>`,
    ...rows,
    "</svg>\n",
  ].join("\n");
}

async function main(): Promise<void> {
  const rights = ["--allow-read", "--allow-write", "--allow-run", "--allow-env"];
  const { success, stdout, stderr } = await runDeno(["run", ...rights, "src/build/demo.ts"]);
  if (!success) throw new Error(stderr);
  await Deno.writeTextFile(new URL("docs/demo.svg", REPOSITORY), svgOf(stdout));
}

if (import.meta.main) await runTask(main);
