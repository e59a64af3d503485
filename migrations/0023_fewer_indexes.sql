-- No query looks for edits by what a file was before them any more.
DROP INDEX observations_by_before;
