/** What each screen of the page has to say: what a verb of the command line says for the same question. */
import type { Shown } from "./browser.ts";
import { verbOf } from "./pages.ts";
import { until } from "../../support/wait.ts";

interface Said {
  readonly path: string;
  /** The verb that says the same. */
  readonly words: readonly string[];
  /** How to find in the screen what the verb said. */
  // deno-lint-ignore no-explicit-any -- whatever is printed
  readonly texts: (json: any) => readonly (string | null)[];
}

/** The screens beside the verbs. @param session The one whose screen is looked at. */
function saidOf(session: string): readonly Said[] {
  return [
    {
      path: "/now",
      words: ["session", "list", "--status", "active"],
      texts: ({ sessions }) => sessions.map(({ title }: { title: string }) => title),
    },
    {
      path: "/sessions",
      words: ["session", "list"],
      texts: ({ sessions }) => sessions.map(({ title }: { title: string }) => title),
    },
    {
      path: `/session/${session}`,
      words: ["session", "log", session],
      texts: ({ steps }) => steps.map(({ subject }: { subject: string }) => subject),
    },
    {
      path: `/session/${session}`,
      words: ["session", "show", session],
      texts: ({ story: { files, failed } }) => [
        ...files.map(({ path }: { path: string }) => path),
        ...failed.map(({ title }: { title: string }) => title),
      ],
    },
    {
      path: "/memory",
      words: ["memory", "list"],
      texts: ({ observations }) => observations.map(({ title }: { title: string }) => title),
    },
    {
      path: "/rules",
      words: ["audit", "list", "--status", "blocked"],
      texts: ({ executions }) =>
        executions.map((row: Record<string, string>) => row["errorMessage"]),
    },
    {
      path: "/work",
      words: ["task", "list", "--all-projects"],
      texts: ({ tasks }) => tasks.map(({ title }: { title: string }) => title),
    },
    {
      path: "/questions",
      words: ["question", "list"],
      texts: ({ questions }) => questions.map(({ text }: { text: string }) => text),
    },
    {
      path: "/latency",
      words: ["audit", "stats", "--since", "1d"],
      texts: ({ hooks }) =>
        hooks.flatMap(({ hookName, p50Ms, p95Ms, p99Ms }: Record<string, number>) => [
          hookName,
          [p50Ms, p95Ms, p99Ms].map((ms) => ms!.toFixed(1)).join(" · "),
        ]),
    },
    {
      path: "/health",
      words: ["doctor"],
      texts: ({ checks }) => checks.map(({ name }: { name: string }) => name),
    },
  ];
}

/** Goes through all screens, and waits until each shows all that its verb says. @returns How many texts that were, by screen. */
export async function everyScreenSaysIt(
  { home, page, go }: Pick<Shown, "home" | "page" | "go">,
  session: string,
): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {};
  for (const { path, words, texts } of saidOf(session)) {
    await go(path);
    await until(`${path} shows what ${words.join(" ")} says`, async () => {
      const said = texts(await verbOf(home, ...words)).filter((text) => text !== null);
      const shown = inOneLine(await page.locator("main").innerText());
      counts[words.slice(0, 2).join(" ")] = said.length;
      return said.every((text) => shown.includes(inOneLine(text).slice(0, MOST_CHARS)));
    });
  }
  return counts;
}

/** Longer texts are cut on the page. */
const MOST_CHARS = 100;

function inOneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
