/**
 * `deno task pictures [--folder DIR]`: every screen of the page at 1,440 and 390 pixels, as PNG files in docs/pictures. What
 * they show is the recorded project of tests/testdata, told to real hooks in a throw-away home.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { changeFile, readRecording } from "../../../src/build/replay.ts";
import { makeRepository } from "../../support/git.ts";
import { hook, runProgram, type TempHome } from "../../support/program.ts";
import { REPOSITORY } from "../../support/process.ts";
import { tellHooks } from "../../support/transcripts.ts";
import { type Shown, shownPage } from "../support/browser.ts";
import { smallPng } from "./small_png.ts";
import { latestHooks, waitingFor } from "./stage.ts";

/** What a picture shows: its name, the address, and what is waited for. */
interface Picture {
  readonly name: string;
  readonly path: (project: Project) => string;
  readonly shows: string;
  /** Done once the screen is there. */
  readonly before?: (shown: Shown) => Promise<void>;
}

interface Project {
  readonly path: string;
  readonly session: string;
}

const PICTURES: readonly Picture[] = [
  { name: "now", path: () => "/now", shows: ".panel .row" },
  { name: "sessions", path: () => "/sessions", shows: "a.row" },
  {
    name: "session",
    path: ({ session }) => `/session/${session}`,
    shows: ".step.tool",
    async before({ page }) {
      await page.locator(".step.tool", { hasText: "Edit" }).first().locator(".step-line").click();
      await page.locator(".diff .came").first().waitFor();
    },
  },
  { name: "memory", path: () => "/memory", shows: "a.row" },
  { name: "rules", path: () => "/rules", shows: ".row" },
  { name: "work", path: () => "/work", shows: ".card" },
  { name: "questions", path: () => "/questions", shows: "main .screen" },
  { name: "latency", path: () => "/latency", shows: "table, .empty" },
  { name: "health", path: () => "/health", shows: ".facts" },
];

const SIZES = [{ width: 1_440, height: 800 }, { width: 390, height: 844 }] as const;
/** Charts and late data have come by then. */
const SETTLED_MS = 1_200;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { folder: { type: "string", default: join(REPOSITORY, "docs", "pictures") } },
  });
  await Deno.mkdir(values.folder, { recursive: true });
  let project: Project | undefined;
  await using shown = await shownPage(
    async (home) => void (project = await recordedProject(home)),
    {
      colorScheme: "light",
      reducedMotion: "reduce",
    },
  );
  for (const viewport of SIZES) {
    await shown.page.setViewportSize(viewport);
    for (const { name, path, shows, before } of PICTURES) {
      await shown.go(path(project!));
      await shown.page.locator(shows).first().waitFor();
      await before?.(shown);
      await shown.page.waitForTimeout(SETTLED_MS);
      await shown.page.mouse.move(0, 0);
      await withoutPlaces(shown);
      const file = join(values.folder, `${name}-${viewport.width}.png`);
      await Deno.writeFile(file, smallPng(await shown.page.screenshot()));
      console.log(`${file}  ${Math.round(Deno.statSync(file).size / 1_000)} kB`);
    }
  }
  if (shown.faults.length > 0) throw new Error(shown.faults.join("\n"));
}

/** Names of folders as on anybody's machine: those of this one are of no interest. */
async function withoutPlaces({ page, home }: Shown): Promise<void> {
  const places = [
    [home.path, "/home/ana"],
    [REPOSITORY, "/home/ana/conclaude"],
    [Deno.execPath(), "/home/ana/.deno/bin/deno"],
  ].toSorted(([a], [b]) => b!.length - a!.length);
  await page.locator("main").evaluate((main, places) => {
    const texts = main.ownerDocument.createTreeWalker(main, 4);
    while (texts.nextNode()) {
      const node = texts.currentNode;
      for (const [from, to] of places) {
        node.nodeValue = node.nodeValue!.replaceAll(from!, to!);
      }
    }
  }, places);
}

/** Tells the recorded sessions, and makes what people and agents have to do with each other. */
async function recordedProject(home: TempHome): Promise<Project> {
  const path = join(home.path, "tides");
  await Deno.mkdir(path);
  makeRepository(path);
  await Deno.writeTextFile(join(path, ".conclaude.yaml"), CONFIG);
  const run = (...words: readonly string[]) =>
    runProgram(words, { env: { HOME: home.path }, cwd: path });
  for (const name of ["work", "tools"] as const) await tellHooks(home, name);
  let session = "";
  for (const payload of readRecording(home.path, path)) {
    await changeFile(payload);
    await hook(payload.hook_event_name, payload, home, { env: { CLAUDE_PROJECT_DIR: path } });
    session = String(payload["session_id"]);
  }
  await run("queue", "drain");
  for (const [title, ...flags] of TASKS) await run("task", "create", title!, ...flags);
  await run("task", "claim", "--next", "--agent-id", "ana");
  await waitingFor(home, path);
  await latestHooks(home);
  await run("queue", "drain");
  return { path, session };
}

const TASKS = [
  ["Correct the tide table for Greenwich"],
  ["Paint the harbour wall", "--priority", "1"],
  ["Print heights in feet on request"],
  ["Write down how the gauge is read"],
] as const;

const CONFIG = `preToolUse:
  uneditableFiles: ["*.lock"]
  toolUsageValidation:
    - { tool: Bash, commandPattern: "git push --force*", action: block,
        message: "Ask before you rewrite history" }
requirements:
  commit_plan:
    message: Plan the change first.
    autoResolveSkill: arch-review
`;

await main();
