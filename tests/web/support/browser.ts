/** A real browser that shows the page of a daemon. */
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { runDaemon, type RunningDaemon } from "../../support/daemon.ts";
import { type TempHome, tempHome } from "../../support/program.ts";

const PROGRAMS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** The browser of this machine; undefined without one. */
function browserProgram(): string | undefined {
  return PROGRAMS.find((path) => {
    try {
      return Deno.statSync(path).isFile;
    } catch {
      return false;
    }
  });
}

/** What this machine lacks for tests in a browser; null where it has it. */
export function missingBrowser(): string | null {
  return browserProgram() === undefined ? "no chromium" : null;
}

/** A daemon, a browser, and a page that a person has opened. */
export interface Shown extends AsyncDisposable {
  readonly home: TempHome;
  readonly daemon: RunningDaemon;
  readonly browser: Browser;
  readonly page: Page;
  /** What the page wrote to the console as errors, and what it threw. */
  readonly faults: readonly string[];
  /** A new address that works once. */
  readonly address: (options?: { readonly readOnly?: boolean }) => Promise<string>;
  /** The address of a screen: `/memory`. */
  readonly go: (path: string) => Promise<void>;
}

/** Starts the browser, with a home of its own. */
export async function launchBrowser(): Promise<Browser> {
  const home = tempHome();
  const browser = await chromium.launch({
    executablePath: browserProgram()!,
    args: ["--no-sandbox", "--disable-lcd-text"],
    env: { HOME: home.path, PATH: Deno.env.get("PATH") ?? "" },
  });
  browser.on("disconnected", () => home[Symbol.dispose]());
  return browser;
}

/**
 * @param before Fills the home before the daemon starts.
 * @param options `shared`: a browser that others use as well; each page has a context of its own there.
 */
export async function shownPage(
  before: (home: TempHome) => Promise<void> = () => Promise.resolve(),
  { shared, ...options }: BrowserContextOptions & { readonly shared?: Browser } = {},
): Promise<Shown> {
  const home = tempHome();
  await before(home);
  const [daemon, browser] = await Promise.all([
    runDaemon(home, { cwd: home.path }),
    shared ?? launchBrowser(),
  ]);
  const address: Shown["address"] = async ({ readOnly = false } = {}) => {
    const { body } = await daemon.ask("POST", "/page/codes", { body: { readOnly } });
    return `http://127.0.0.1:${daemon.port}/#code=${body.code}`;
  };
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    ...options,
  });
  const page = await context.newPage();
  const faults: string[] = [];
  page.on("pageerror", ({ message }) => faults.push(message));
  // The browser itself says of each request that it failed.
  page.on("console", (said) => {
    if (said.type() === "error" && !/^Failed to load/.test(said.text())) faults.push(said.text());
  });
  await page.goto(await address());
  await page.getByText("Live", { exact: true }).waitFor();
  return {
    home,
    daemon,
    browser,
    page,
    faults,
    address,
    async go(path) {
      await page.evaluate((hash) => void (location.hash = hash), path);
    },
    async [Symbol.asyncDispose]() {
      await (shared === undefined
        ? browser.close()
        : Promise.all(browser.contexts().map((one) => one.close())));
      await daemon[Symbol.asyncDispose]();
      home[Symbol.dispose]();
    },
  };
}
