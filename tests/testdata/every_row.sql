-- Tasks come before their parents here, and every column of theirs that refers to something does.
INSERT INTO sessions (session_id, short_id, status, title, project_dir, repository, branch, started_at_ms,
                      updated_at_ms, ended_at_ms, end_reason, task_id, agent_id)
VALUES ('b', 'b', 'ended', 'Zwei "Wörter"', '/p', '/p/.git', 'feature/x', 1, 9000, 9000, 'clear', 't1', 'a2');
INSERT INTO requirements (repository, branch, requirement, session_id, scope, satisfied_at_ms, satisfied_by, metadata,
                          updated_at_ms)
VALUES ('/p/.git', 'main', 'plan', '', 'branch', 4000, 'cli', '{"reason":"seen"}', 4000);
PRAGMA foreign_keys = OFF;
INSERT INTO tasks (id, parent_id, depth, title, body, type, status, priority, claimed_by, claim_token, claimed_at_ms,
                   lease_until_ms, origin, created_at_ms, updated_at_ms)
VALUES ('t1', 't3', 1, 'Fix', 'line 1
line 2', 'bug', 'in_progress', 2, 'ana', 7, 5000, 6000, 'coven:1', 1, 5000),
       ('t2', 't3', 1, 'b', '', 'task', 'open', 2, NULL, 0, NULL, NULL, NULL, 2, 2),
       ('t3', NULL, 0, 'Top', '', 'feature', 'open', 0, NULL, 0, NULL, NULL, NULL, 3, 3);
PRAGMA foreign_keys = ON;
INSERT INTO task_tags VALUES ('t1', 'ui');
INSERT INTO task_dependencies VALUES ('t1', 't2');
INSERT INTO task_history (id, task_id, changes, changed_by, changed_at_ms)
VALUES (5, 't1', '[{"field":"title","old":null,"new":{"a":"b"}}]', 'user', 5000);
INSERT INTO agents (id, kind, name, status, session_id, command, created_at_ms, updated_at_ms)
VALUES ('a1', 'subagent', 'scout', 'running', 'a', '["x"]', 1, 5000);
INSERT INTO agents (id, kind, name, status, task_id, workflow_id, command, exit_code, created_at_ms, ended_at_ms, updated_at_ms)
VALUES ('a2', 'agent', 'smith', 'completed', 't1', 'w1', '["claude","-p"]', 0, 1, 5000, 5000);
INSERT INTO workflows (id, task_id, name, definition, status, claim_token, created_at_ms, updated_at_ms)
VALUES ('w1', 't1', 'w', '{"steps":[]}', 'running', 1, 1, 5000);
INSERT INTO workflow_steps (workflow_id, key, attempt, type, status, outcome, agent_id, started_at_ms)
VALUES ('w1', 'a', 1, 'agent', 'running', NULL, 'a2', 5000), ('w1', 'b', 1, 'merge', 'finished', '{"n":1}', NULL, 5000);
INSERT INTO questions (id, type, text, options, status, source, session_id, created_at_ms, resolved_at_ms)
VALUES ('q-20260101000000-1', 'choice', 'x?', '["y","n"]', 'resolved', 'elicitation', 'a', 1, 5000);
INSERT INTO events (id, type, entity_type, entity_id, data, created_at_ms)
VALUES (40, 'task.created', 'task', 't1', '{"claimToken":1}', 5000), (41, 'task.updated', 'task', 't1', '{}', 5000);
INSERT INTO sessions_to_summarize VALUES ('b');
INSERT INTO token_use VALUES ('00ff', 'b', '/p/.git', 'main', 'claude-x', 10, 20, 300, 40, 5000);
