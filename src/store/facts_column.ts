/** What an observation keeps as JSON, where a damaged page may have left none. */

/** The facts in SQL; none where they cannot be read. */
export const FACTS = "iif(json_valid(facts), facts, '{}')";
