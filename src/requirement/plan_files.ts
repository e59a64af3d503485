/** Files in which Claude plans: no requirement keeps it from writing them. */

const PLAN_FOLDER = /\/(?:\.claude\/plans|docs\/plans)\//;

/** Whether a file is a plan. @param path Absolute, with all links followed. */
export function isPlanFile(path: string): boolean {
  return PLAN_FOLDER.test(path);
}
