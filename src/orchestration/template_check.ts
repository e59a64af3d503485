/** What is wrong with a template whatever its values are. */
import { renderScript, renderText } from "./template.ts";
import { TemplateError } from "./template_syntax.ts";

/** Why a text cannot be rendered; null when nothing is wrong with it, or when there is none. */
export function textFault(text: string | null): string | null {
  return faultOf(() => renderText(text ?? "", {}, { missing: "empty", include: () => "" }));
}

/** Why a script cannot be rendered; null when nothing is wrong with it. */
export function scriptFault(command: string): string | null {
  return faultOf(() => renderScript(command, {}));
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
