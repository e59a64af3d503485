-- Makes the tables of a team's PostgreSQL, for `conclaude team init`. It may run again without losing anything.
-- Clients call the functions below; row level security decides what each client sees and writes. Each function sets its
-- search path, with `pg_temp` last: by default PostgreSQL looks there first, where anybody may make tables.
DO $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'conclaude_member') THEN
    CREATE ROLE conclaude_member NOLOGIN;
  END IF;
END $$;

CREATE SCHEMA IF NOT EXISTS conclaude;
REVOKE ALL ON SCHEMA conclaude FROM PUBLIC;
GRANT USAGE ON SCHEMA conclaude TO conclaude_member;
SET LOCAL search_path = conclaude, pg_catalog, pg_temp;

-- The projects, by the name that all their machines use, and the number of the newest row of each.
CREATE TABLE IF NOT EXISTS head (
  project text PRIMARY KEY,
  seq bigint NOT NULL DEFAULT 0,
  key_check text
);

CREATE TABLE IF NOT EXISTS member (
  project text NOT NULL REFERENCES head,
  login name NOT NULL,
  is_owner boolean NOT NULL DEFAULT false,
  added_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (project, login)
);

-- The machines of a project, their owners, and how far each has read. `left_seq` is the number of the newest row when a
-- machine left; `heir` is the machine's new id after its database was copied or restored.
CREATE TABLE IF NOT EXISTS seen (
  project text NOT NULL REFERENCES head,
  origin text NOT NULL,
  author name NOT NULL DEFAULT current_user,
  seq bigint NOT NULL DEFAULT 0,
  at timestamptz NOT NULL DEFAULT now(),
  left_seq bigint,
  heir text,
  PRIMARY KEY (project, origin)
);

-- All versions of all rows, numbered without gaps. Only the newest version of a row has a body.
CREATE TABLE IF NOT EXISTS log (
  project text NOT NULL REFERENCES head,
  seq bigint NOT NULL,
  origin text NOT NULL,
  origin_seq bigint NOT NULL,
  author name NOT NULL DEFAULT current_user,
  kind text NOT NULL,
  uid text NOT NULL,
  op text NOT NULL CHECK (op IN ('put', 'forget')),
  digest text NOT NULL CHECK (digest ~ '^[0-9a-f]{32}$'),
  body text,
  at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (project, seq),
  -- Columns with many values come first: without statistics, an index that begins with `project` seems as good.
  UNIQUE (origin, origin_seq, project)
);
CREATE INDEX IF NOT EXISTS log_by_uid ON log (uid, project, seq DESC);

-- The holder of each task, by this server's clock. `fence` grows with each claim; `rounds` counts completions.
CREATE TABLE IF NOT EXISTS claim (
  project text NOT NULL REFERENCES head,
  task text NOT NULL,
  fence bigint NOT NULL DEFAULT 0,
  origin text,
  holder text,
  author name NOT NULL DEFAULT current_user,
  lease_until timestamptz,
  rounds bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (project, task)
);

CREATE TABLE IF NOT EXISTS forgotten (
  project text NOT NULL REFERENCES head,
  uid text NOT NULL,
  author name NOT NULL DEFAULT current_user,
  seq bigint NOT NULL,
  at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (project, uid)
);

-- Rights: members see the projects that they belong to, and write in their own name.
DO $$
DECLARE
  t text;
  -- No index helps this condition, so each statement also names its project.
  mine CONSTANT text := 'project IN (SELECT m.project FROM conclaude.member m WHERE m.login = current_user)';
  owned CONSTANT text := format('pg_has_role(current_user, %L, ''USAGE'')', current_user);
BEGIN
  FOREACH t IN ARRAY ARRAY['head', 'member', 'seen', 'log', 'claim', 'forgotten'] LOOP
    EXECUTE format('ALTER TABLE conclaude.%I ENABLE ROW LEVEL SECURITY', t);
    EXECUTE format('ALTER TABLE conclaude.%I FORCE ROW LEVEL SECURITY', t);
    EXECUTE format('REVOKE ALL ON conclaude.%I FROM PUBLIC', t);
    EXECUTE format('DROP POLICY IF EXISTS reads ON conclaude.%I', t);
    EXECUTE format('DROP POLICY IF EXISTS writes ON conclaude.%I', t);
    EXECUTE format('DROP POLICY IF EXISTS changes ON conclaude.%I', t);
    EXECUTE format('DROP POLICY IF EXISTS owns ON conclaude.%I', t);
  END LOOP;
  CREATE POLICY reads ON conclaude.member FOR SELECT USING (login = current_user);
  EXECUTE format('CREATE POLICY owns ON conclaude.member USING (%1$s) WITH CHECK (%1$s)', owned);
  EXECUTE format('CREATE POLICY owns ON conclaude.head USING (%1$s) WITH CHECK (%1$s)', owned);
  EXECUTE format('CREATE POLICY owns ON conclaude.seen FOR SELECT USING (%s)', owned);
  FOREACH t IN ARRAY ARRAY['head', 'seen', 'log', 'claim', 'forgotten'] LOOP
    EXECUTE format('CREATE POLICY reads ON conclaude.%I FOR SELECT USING (%s)', t, mine);
  END LOOP;
  FOREACH t IN ARRAY ARRAY['seen', 'claim', 'forgotten'] LOOP
    EXECUTE format('CREATE POLICY writes ON conclaude.%I FOR INSERT WITH CHECK (author = current_user AND %s)', t, mine);
  END LOOP;
  -- The machine of a row must belong to the row's author.
  EXECUTE format('CREATE POLICY writes ON conclaude.log FOR INSERT WITH CHECK (author = current_user AND %s AND
    EXISTS (SELECT 1 FROM conclaude.seen s
             WHERE s.project = log.project AND s.origin = log.origin AND s.author = current_user))', mine);
  EXECUTE format('CREATE POLICY changes ON conclaude.head FOR UPDATE USING (%1$s) WITH CHECK (%1$s)', mine);
  EXECUTE format('CREATE POLICY changes ON conclaude.seen FOR UPDATE USING (author = current_user AND %1$s)
    WITH CHECK (author = current_user AND %1$s)', mine);
  -- Old versions lose their body; nothing else in a row ever changes.
  EXECUTE format('CREATE POLICY changes ON conclaude.log FOR UPDATE USING (%1$s) WITH CHECK (body IS NULL AND %1$s)', mine);
  EXECUTE format('CREATE POLICY changes ON conclaude.claim FOR UPDATE
    USING (%1$s AND (author = current_user OR holder IS NULL OR lease_until <= clock_timestamp()))
    WITH CHECK (author = current_user AND %1$s)', mine);
END $$;

GRANT SELECT ON head, member, seen, log, claim, forgotten TO conclaude_member;
GRANT UPDATE (seq) ON head TO conclaude_member;
GRANT INSERT (project, origin, seq), UPDATE (seq, at, left_seq, heir) ON seen TO conclaude_member;
GRANT INSERT (project, seq, origin, origin_seq, kind, uid, op, digest, body), UPDATE (body) ON log TO conclaude_member;
GRANT INSERT (project, task), UPDATE (fence, origin, holder, author, lease_until, rounds) ON claim TO conclaude_member;
GRANT INSERT (project, uid, seq) ON forgotten TO conclaude_member;

-- The version of this schema. A client that knows a lower one reads, and does not write.
CREATE OR REPLACE FUNCTION version() RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT 1';

-- Begins a project unless it exists; the caller becomes its first member. Returns whether the caller is a member.
CREATE OR REPLACE FUNCTION begin_project(name text, check_of_key text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = conclaude, pg_catalog, pg_temp AS $$
DECLARE
  made text;
BEGIN
  IF NOT pg_has_role(session_user, 'conclaude_member', 'USAGE') THEN
    RETURN false;
  END IF;
  INSERT INTO head (project, key_check) VALUES (name, check_of_key)
  ON CONFLICT DO NOTHING
  RETURNING project INTO made;
  IF made IS NOT NULL THEN
    INSERT INTO member (project, login, is_owner) VALUES (name, session_user, true);
  END IF;
  RETURN EXISTS (SELECT 1 FROM member WHERE project = name AND login = session_user);
END $$;

-- Lets a login into a project. The project's owners may do that, and everyone who may act for the owner of the schema.
CREATE OR REPLACE FUNCTION add_member(name text, who text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = conclaude, pg_catalog, pg_temp AS $$
BEGIN
  IF NOT pg_has_role(session_user, current_user, 'USAGE') AND
     NOT EXISTS (SELECT 1 FROM member WHERE project = name AND login = session_user AND is_owner) THEN
    RETURN false;
  END IF;
  INSERT INTO head (project) VALUES (name) ON CONFLICT DO NOTHING;
  INSERT INTO member (project, login) VALUES (name, who) ON CONFLICT DO NOTHING;
  RETURN true;
END $$;

-- Lists the members of a project, for its members.
CREATE OR REPLACE FUNCTION members_of(name text) RETURNS TABLE (login name, is_owner boolean)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = conclaude, pg_catalog, pg_temp AS $$
  SELECT m.login, m.is_owner
    FROM member m
   WHERE m.project = name
     AND (pg_has_role(session_user, current_user, 'USAGE')
          OR EXISTS (SELECT 1 FROM member me WHERE me.project = name AND me.login = session_user))
   ORDER BY m.login
$$;

-- Stores rows of one machine: new rows get the next numbers, known rows keep theirs. `base` is the number of the
-- version that a changed task builds on. `reused`: the number belongs to another row, since the machine was copied or
-- restored. `renumber`: it belongs to another version of the row. `lost`: the row `acked`, which the machine knows to
-- be here, is missing, since this server was restored; then nothing is stored. One call is one transaction, one at a
-- time for each project. Each lookup of a row gets a new plan: a plan for a small log would read all of a large one.
CREATE OR REPLACE FUNCTION push(p text, o text, given json, acked bigint DEFAULT 0)
RETURNS TABLE (n bigint, number bigint, refused text)
LANGUAGE plpgsql SET search_path = conclaude, pg_catalog, pg_temp SET plan_cache_mode = force_custom_plan AS $$
#variable_conflict use_column
DECLARE
  newest bigint;
  last_now bigint;
  stale bigint[];
BEGIN
  SELECT h.seq INTO newest FROM head h WHERE h.project = p FOR UPDATE;
  IF newest IS NULL THEN
    RAISE EXCEPTION 'not a member of this project' USING ERRCODE = '42501';
  END IF;
  IF acked > coalesce((SELECT k.origin_seq FROM log k WHERE k.origin = o AND k.project = p
                        ORDER BY k.origin_seq DESC LIMIT 1), 0) THEN
    RETURN QUERY SELECT r.n, NULL::bigint, 'lost' FROM json_to_recordset(given) AS r(n bigint);
    RETURN;
  END IF;
  RETURN QUERY
  WITH arriving AS (
    SELECT * FROM json_to_recordset(given)
        AS r(n bigint, kind text, uid text, op text, base bigint, digest text, body text)
  ), judged AS (
    SELECT r.*, l.seq AS known,
           CASE
             WHEN l.uid <> r.uid THEN 'reused'
             WHEN l.digest <> r.digest THEN 'renumber'
             WHEN l.seq IS NOT NULL THEN NULL
             WHEN r.body IS NOT NULL AND EXISTS (SELECT 1 FROM forgotten f WHERE f.project = p AND f.uid = r.uid) THEN 'forgotten'
             WHEN r.op = 'put' AND r.base IS NOT NULL AND r.base <> coalesce(
               (SELECT v.seq FROM log v WHERE v.project = p AND v.uid = r.uid ORDER BY v.seq DESC LIMIT 1), 0) THEN 'changed'
           END AS refusal
      FROM arriving r
      LEFT JOIN LATERAL (
             SELECT k.seq, k.uid, k.digest FROM log k WHERE k.project = p AND k.origin = o AND k.origin_seq = r.n LIMIT 1) AS l ON true
  ), fresh AS (
    INSERT INTO log (project, seq, origin, origin_seq, kind, uid, op, digest, body)
    SELECT p, newest + row_number() OVER (ORDER BY j.n), o, j.n, j.kind, j.uid, j.op, j.digest, j.body
      FROM judged j
     WHERE j.known IS NULL AND j.refusal IS NULL
       AND NOT EXISTS (SELECT 1 FROM judged WHERE refusal = 'reused')
    RETURNING origin_seq, seq
  )
  SELECT j.n, CASE WHEN j.refusal IS NULL THEN coalesce(j.known, f.seq) END, j.refusal
    FROM judged j
    LEFT JOIN fresh f ON f.origin_seq = j.n;
  SELECT l.seq INTO last_now FROM log l WHERE l.project = p ORDER BY l.seq DESC LIMIT 1;
  IF last_now IS NULL OR last_now = newest THEN
    RETURN;
  END IF;
  UPDATE head SET seq = last_now WHERE project = p;
  INSERT INTO forgotten (project, uid, seq)
  SELECT p, l.uid, l.seq FROM log l
   WHERE l.project = p AND l.seq > newest AND l.op = 'forget'
     -- A row with a body stays, without its forgotten parts, and a requirement may be defined again.
     AND l.body IS NULL AND l.kind <> 'requirement'
  ON CONFLICT DO NOTHING;
  stale := ARRAY(
    SELECT old.seq
      FROM json_to_recordset(given) AS r(uid text)
     CROSS JOIN LATERAL (
           SELECT v.seq FROM log v WHERE v.project = p AND v.uid = r.uid AND v.seq <= newest ORDER BY v.seq DESC LIMIT 1) AS old
     WHERE EXISTS (SELECT 1 FROM log v WHERE v.project = p AND v.uid = r.uid AND v.seq > newest));
  IF cardinality(stale) > 0 THEN
    UPDATE log SET body = NULL WHERE project = p AND seq = ANY (stale) AND body IS NOT NULL;
  END IF;
  PERFORM pg_notify('conclaude', p);
END $$;

-- Claims the first free task of a list; a holder who claims a task again gets it unchanged. `round` says how often the
-- task was completed as far as the claimer knows; a task that was completed since is `done`. `least` is the lowest
-- number that the claim may get, since the claimer's machine has used the lower ones.
CREATE OR REPLACE FUNCTION claim_first(p text, o text, wanted json, who text, lease_ms bigint, is_next boolean)
RETURNS TABLE (outcome text, task text, fence bigint, left_ms bigint, holder text, author name)
LANGUAGE plpgsql SET search_path = conclaude, pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
  want record;
  free claim;
  last_outcome text := 'none';
  last_task text;
BEGIN
  INSERT INTO claim (project, task)
  SELECT p, w.task FROM json_to_recordset(wanted) AS w(task text) ORDER BY w.task
  ON CONFLICT DO NOTHING;
  FOR want IN
    SELECT * FROM ROWS FROM (json_to_recordset(wanted) AS (task text, round bigint, least bigint))
      WITH ORDINALITY AS w(task, round, least, place) ORDER BY place
  LOOP
    last_task := want.task;
    IF is_next THEN
      SELECT * INTO free FROM claim c
       WHERE c.project = p AND c.task = want.task
         AND (c.holder IS NULL OR c.lease_until <= clock_timestamp() OR (c.origin = o AND c.holder = who))
         FOR UPDATE SKIP LOCKED;
    ELSE
      SELECT * INTO free FROM claim c
       WHERE c.project = p AND c.task = want.task
         AND (c.holder IS NULL OR c.lease_until <= clock_timestamp() OR (c.origin = o AND c.holder = who))
         FOR UPDATE;
    END IF;
    IF NOT FOUND THEN
      last_outcome := 'held';
    ELSIF free.rounds > want.round THEN
      last_outcome := 'done';
    ELSE
      RETURN QUERY
      UPDATE claim c
         SET fence = CASE WHEN c.holder = who AND c.origin = o AND c.lease_until > clock_timestamp() THEN c.fence
                          ELSE greatest(c.fence + 1, want.least) END,
             origin = o, holder = who, author = current_user,
             lease_until = clock_timestamp() + lease_ms * interval '1 millisecond'
       WHERE c.project = p AND c.task = want.task
      RETURNING 'claimed', c.task, c.fence, lease_ms, c.holder, c.author;
      RETURN;
    END IF;
  END LOOP;
  RETURN QUERY
  SELECT last_outcome, c.task, c.fence, (extract(epoch FROM c.lease_until - clock_timestamp()) * 1000)::bigint, c.holder, c.author
    FROM claim c
   WHERE c.project = p AND c.task = last_task;
END $$;

-- Renews, releases or completes (`step`) a claim of the caller. Returns no row when the claim does not count any more.
CREATE OR REPLACE FUNCTION use_claim(p text, o text, wanted text, who text, number bigint, step text, lease_ms bigint, round bigint)
RETURNS TABLE (fence bigint, left_ms bigint)
LANGUAGE sql SET search_path = conclaude, pg_catalog, pg_temp AS $$
  UPDATE claim c
     SET lease_until = CASE step WHEN 'renew' THEN clock_timestamp() + lease_ms * interval '1 millisecond' END,
         holder = CASE step WHEN 'renew' THEN c.holder END,
         origin = CASE step WHEN 'renew' THEN c.origin END,
         rounds = CASE step WHEN 'complete' THEN greatest(c.rounds, round + 1) ELSE c.rounds END
   WHERE c.project = p AND c.task = wanted AND c.origin = o AND c.holder = who
     AND (number IS NULL OR c.fence = number)
     AND c.lease_until > clock_timestamp()
  RETURNING c.fence, lease_ms
$$;

-- Returns the current or last holder of a task, for a caller whose claim does not count.
CREATE OR REPLACE FUNCTION holder_of(p text, o text, wanted text)
RETURNS TABLE (fence bigint, left_ms bigint, holder text, author name, is_here boolean)
LANGUAGE sql STABLE SET search_path = conclaude, pg_catalog, pg_temp AS $$
  SELECT c.fence, (extract(epoch FROM c.lease_until - clock_timestamp()) * 1000)::bigint, c.holder, c.author, c.origin = o
    FROM claim c
   WHERE c.project = p AND c.task = wanted
$$;

REVOKE ALL ON ALL FUNCTIONS IN SCHEMA conclaude FROM PUBLIC;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA conclaude TO conclaude_member;
