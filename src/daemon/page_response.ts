/** Makes the responses with the page and its chart script. The policy permits only the page's own scripts and style. */
import { createHash } from "node:crypto";

/** The parts of the page that the build makes. */
export interface PageParts {
  readonly script: string;
  readonly style: string;
  /** The script that a screen with a chart loads. */
  readonly plot: string;
}

export const PLOT_PATH = "/page/plot.js";

/** Loads the page. `main.ts` sets this function, since the daemon may not import the page. */
let loadPage: (() => Promise<PageParts>) | null = null;
let made: Promise<ReturnType<typeof madeOf>> | undefined;

export function takePage(load: () => Promise<PageParts>): void {
  loadPage = load;
}

/** Answers with the page or the script for charts. @param origin The daemon's origin, as the browser knows it. */
export async function pageResponse(part: "page" | "plot", origin: string): Promise<Response> {
  if (loadPage === null) throw new Error("nobody has said where the page is");
  const { html, policyFor, plot } = await (made ??= loadPage().then(madeOf));
  const isPage = part === "page";
  return new Response(isPage ? html : plot, {
    headers: {
      "content-type": `text/${isPage ? "html" : "javascript"}; charset=utf-8`,
      "cross-origin-resource-policy": "same-origin",
      ...isPage && {
        "content-security-policy": policyFor(origin),
        "cross-origin-opener-policy": "same-origin",
        "referrer-policy": "no-referrer",
        "x-frame-options": "DENY",
      },
    },
  });
}

function madeOf({ script, style, plot }: PageParts) {
  // HTML ends a script at the first end tag, even inside a string.
  const code = script.replaceAll("</script", "<\\/script");
  return {
    plot,
    html: '<!doctype html><html lang="en"><head><meta charset="utf-8">' +
      '<meta name="viewport" content="width=device-width, initial-scale=1">' +
      `<meta name="color-scheme" content="light dark"><title>conclaude</title><style>${style}</style></head>` +
      `<body><div id="page"></div><script type="module">${code}</script></body></html>`,
    policyFor: (origin: string) =>
      [
        "default-src 'none'",
        `script-src 'sha256-${hashOf(code)}' ${origin}${PLOT_PATH}`,
        `style-src 'sha256-${hashOf(style)}'`,
        "connect-src 'self'",
        "img-src data:",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
      ].join("; "),
  };
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("base64");
}
