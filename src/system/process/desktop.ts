/** Opens addresses and shows notifications with the system's own tools. */
import type { Environment } from "../environment.ts";
import { startWords } from "./start.ts";
import type { Notification } from "./types.ts";

type Passing = Pick<Environment, "passedOn">;

const OPENERS: Readonly<Record<string, readonly string[]>> = {
  darwin: ["open"],
  windows: ["rundll32", "url.dll,FileProtocolHandler"],
};

/** For `osascript`, which gets the texts as arguments, never as a part of the script. */
const APPLE_SCRIPT = [
  "on run argv",
  "display notification (item 2 of argv) with title (item 1 of argv)",
  "end run",
];

/** For PowerShell, which gets the texts as variables. */
const POWER_SHELL = `Add-Type -AssemblyName System.Windows.Forms
$icon = New-Object System.Windows.Forms.NotifyIcon
$icon.Icon = [System.Drawing.SystemIcons]::Information
$icon.Visible = $true
$kind = [System.Windows.Forms.ToolTipIcon]$env:CONCLAUDE_KIND
$icon.ShowBalloonTip(5000, $env:CONCLAUDE_TITLE, $env:CONCLAUDE_BODY, $kind)
Start-Sleep 6
$icon.Dispose()`;

/** Opens an address in the person's browser. @returns False where there is no tool for it. */
export function openInBrowser(address: string, environment: Passing): boolean {
  return startTool([...OPENERS[Deno.build.os] ?? ["xdg-open"], address], environment);
}

/** Shows a notification, if there is a tool for it. */
export function showNotification(
  { title, body, isUrgent }: Notification,
  environment: Passing,
): void {
  if (Deno.build.os === "windows") {
    const CONCLAUDE_KIND = isUrgent ? "Error" : "Info";
    const variables = { CONCLAUDE_TITLE: title, CONCLAUDE_BODY: body, CONCLAUDE_KIND };
    const words = ["powershell", "-NoProfile", "-NonInteractive", "-Command", POWER_SHELL];
    startTool(words, environment, variables);
  } else if (Deno.build.os === "darwin") {
    const script = APPLE_SCRIPT.flatMap((line) => ["-e", line]);
    startTool(["osascript", ...script, title, body], environment);
  } else {
    const urgency = isUrgent ? "critical" : "normal";
    const words = ["notify-send", "--app-name=conclaude", `--urgency=${urgency}`, "--"];
    startTool([...words, title, escapeMarkup(body)], environment);
  }
}

/** Starts a tool and does not wait for it. Never throws. @returns False where there is no such tool. */
function startTool(words: readonly string[], environment: Passing, variables = {}): boolean {
  const folder = Deno.build.os === "windows" ? "C:/" : "/";
  try {
    const quiet = { stdout: "null", stderr: "null" } as const;
    startWords(words, { folder, variables, environment, ...quiet }).unref();
    return true;
  } catch {
    return false;
  }
}

/** Escapes the body, which `notify-send` reads as markup. */
function escapeMarkup(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
