/** The schema of a team's server that this program knows: that of `server_schema.sql`. */
export const KNOWN_VERSION = 1;
