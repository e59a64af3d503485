/** Finds faults of a template that do not depend on its values. */
import { renderScript, renderText } from "./template.ts";
import { TemplateError } from "./template_syntax.ts";

/** Why a text cannot be rendered, each tag that is wrong; empty when nothing is, or when there is none. */
export function textFaults(text: string | null): string[] {
  return faultsOf(
    text ?? "",
    (one) => renderText(one, {}, { missing: "empty", include: () => "" }),
  );
}

/** Why a script cannot be rendered, each tag that is wrong; empty when nothing is. */
export function scriptFaults(command: string): string[] {
  return faultsOf(command, (one) => renderScript(one, {}));
}

/** So much of a text is looked through for more than its first fault, in characters. */
const MAX_LOOKED_AT = 100_000;

/** A tag that has an end, which does not stand in quotes. */
const TAG = /\{\{(?:"(?:[^"\\\n]|\\.)*"|`[^`]*`|[^"`]){0,1000}?\}\}/g;

/** Rendering ends at the first fault; the others are found tag by tag. */
function faultsOf(text: string, render: (text: string) => unknown): string[] {
  const first = faultOf(() => render(text));
  if (first === null) return [];
  const each = (text.slice(0, MAX_LOOKED_AT).match(TAG) ?? []).flatMap((tag) =>
    faultOf(() => render(tag)) ?? []
  );
  return [...new Set(each.includes(first) ? each : [first, ...each])];
}

function faultOf(render: () => unknown): string | null {
  try {
    render();
    return null;
  } catch (error) {
    if (error instanceof TemplateError) return error.message;
    throw error;
  }
}
