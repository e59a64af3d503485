/** Shows a notification on the desktop with the system's own tool. */
import type { Environment } from "../environment.ts";
import type { Notification } from "./types.ts";
import { startWords } from "./start.ts";

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

/** Starts the notifier and does not wait for it. Never throws. */
export function showNotification(
  { title, body, isUrgent }: Notification,
  environment: Pick<Environment, "passedOn">,
): void {
  const quiet = { stdout: "null", stderr: "null" } as const;
  const started = { folder: "/", variables: {}, environment, ...quiet };
  try {
    if (Deno.build.os === "windows") {
      const CONCLAUDE_KIND = isUrgent ? "Error" : "Info";
      const variables = { CONCLAUDE_TITLE: title, CONCLAUDE_BODY: body, CONCLAUDE_KIND };
      const words = ["powershell", "-NoProfile", "-NonInteractive", "-Command", POWER_SHELL];
      startWords(words, { ...started, folder: "C:/", variables }).unref();
    } else if (Deno.build.os === "darwin") {
      const script = APPLE_SCRIPT.flatMap((line) => ["-e", line]);
      startWords(["osascript", ...script, title, body], started).unref();
    } else {
      const urgency = isUrgent ? "critical" : "normal";
      const words = ["notify-send", "--app-name=conclaude", `--urgency=${urgency}`, "--"];
      startWords([...words, title, escapeMarkup(body)], started).unref();
    }
  } catch {
    // A failed notification must not hold up anything.
  }
}

/** Escapes the body, which `notify-send` reads as markup. */
function escapeMarkup(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
