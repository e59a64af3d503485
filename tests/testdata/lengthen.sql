-- What `fillEveryTable()` made, with texts and paths as long as real ones.
UPDATE tasks SET title = $title, body = $title, reason = $title, summary = $title, project_dir = $folder,
                 claimed_by = iif(claimed_by IS NULL, NULL, $rule);
UPDATE agents SET name = $rule, command = json_array($file, $title), worktree = $folder, output_file = $file,
                  error = $title, kill_reason = $title;
UPDATE workflows SET name = $rule, status = 'failed',
                     definition = json_object('workflow', json_object('name', $rule, 'steps', json_array(
                       json_object('name', 'a', 'type', 'agent', 'prompt', $title)))),
                     reason = $title, worktree = $folder, branch = $rule,
                     base_branch = $rule, project_dir = $folder;
UPDATE questions SET text = $title, status = 'pending', resolved_at_ms = NULL, options = json_array($title, $file);
UPDATE sessions SET title = $title, project_dir = $folder, branch = $rule, end_reason = $title;
UPDATE hook_executions SET error_message = $title WHERE error_message IS NOT NULL;
UPDATE token_use SET project = $folder;
UPDATE events SET created_at_ms = unixepoch() * 1000;
