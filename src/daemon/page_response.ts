/** The response that brings the page. The browser runs its script, applies its style, and does nothing else. */

/** The page's parts, as the build makes them. */
export interface PageParts {
  readonly script: string;
  readonly style: string;
}

/** Makes the function that answers with the page. @param load Gives its parts. */
export function pageMaker(load: () => Promise<PageParts>): () => Promise<Response> {
  let made: Promise<{ readonly html: string; readonly policy: string }> | undefined;
  return async () => {
    const { html, policy } = await (made ??= load().then(madeOf));
    return new Response(html, {
      headers: {
        "content-type": "text/html; charset=utf-8",
        "content-security-policy": policy,
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
        "referrer-policy": "no-referrer",
        "x-frame-options": "DENY",
      },
    });
  };
}

async function madeOf({ script, style }: PageParts) {
  // A script ends at the first end tag, wherever it stands.
  const code = script.replaceAll("</script", "<\\/script");
  const [scriptHash, styleHash] = await Promise.all([hashOf(code), hashOf(style)]);
  return {
    html: '<!doctype html><html lang="en"><head><meta charset="utf-8">' +
      '<meta name="viewport" content="width=device-width, initial-scale=1">' +
      `<meta name="color-scheme" content="light dark"><title>conclaude</title><style>${style}</style></head>` +
      `<body><div id="page"></div><script type="module">${code}</script></body></html>`,
    policy: [
      "default-src 'none'",
      `script-src 'sha256-${scriptHash}'`,
      `style-src 'sha256-${styleHash}'`,
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

async function hashOf(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return new Uint8Array(digest).toBase64();
}
