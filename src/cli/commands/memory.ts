import { group } from "../command.ts";
import { forget, verify } from "./memory_forget.ts";

/** `conclaude memory …` */
export const memory = group({
  verbs: { forget, verify },
  brief: "What is remembered of earlier sessions",
  examples: ["conclaude memory forget --text 'Project Zanzibar' --dry-run"],
});
