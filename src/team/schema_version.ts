/** The version of the server's schema that this program knows: the version of `server_schema.sql`. */
export const KNOWN_VERSION = 1;
