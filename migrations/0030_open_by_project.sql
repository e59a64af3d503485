-- What is open in a project is asked at each start of a session: without this, the failures of all other projects are read.
CREATE INDEX observations_open_of_project ON observations (project, id)
  WHERE outcome = 'failure' AND resolved_by IS NULL AND author IS NULL;
