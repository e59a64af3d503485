/** The version of the server's schema that this program knows, which is that of `server_schema.sql`. */
export const KNOWN_VERSION = 1;
