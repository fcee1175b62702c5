PRAGMA foreign_keys = OFF;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
CREATE TABLE failures (
	id INTEGER NOT NULL, 
	"key" VARCHAR NOT NULL, 
	at DATETIME NOT NULL, 
	CONSTRAINT pk_failures PRIMARY KEY (id)
);
CREATE TABLE invitations (
	id VARCHAR(36) NOT NULL, 
	is_admin BOOLEAN NOT NULL, 
	username VARCHAR, 
	email VARCHAR, 
	expires DATETIME NOT NULL, 
	created DATETIME NOT NULL, 
	CONSTRAINT pk_invitations PRIMARY KEY (id)
);
CREATE TABLE libraries (
	id VARCHAR(36) NOT NULL, 
	name VARCHAR NOT NULL, 
	backend VARCHAR NOT NULL, 
	options JSON NOT NULL, 
	created DATETIME NOT NULL, 
	CONSTRAINT pk_libraries PRIMARY KEY (id)
);
CREATE TABLE objects (
	id VARCHAR(36) NOT NULL, 
	media_type VARCHAR NOT NULL, 
	size INTEGER NOT NULL, 
	etag VARCHAR NOT NULL, 
	reader VARCHAR NOT NULL, 
	created DATETIME NOT NULL, 
	CONSTRAINT pk_objects PRIMARY KEY (id)
);
CREATE TABLE tasks (
	id VARCHAR(36) NOT NULL, 
	task_group VARCHAR NOT NULL, 
	lane VARCHAR NOT NULL, 
	name VARCHAR NOT NULL, 
	subject VARCHAR NOT NULL, 
	arguments JSON NOT NULL, 
	acls JSON NOT NULL, 
	created DATETIME NOT NULL, 
	due DATETIME NOT NULL, 
	owner VARCHAR, 
	leased_until DATETIME, 
	claims INTEGER NOT NULL, 
	crashes INTEGER NOT NULL, 
	retries INTEGER NOT NULL, 
	cancelled BOOLEAN NOT NULL, 
	progress DOUBLE NOT NULL, 
	started DATETIME, 
	ended DATETIME, 
	success BOOLEAN NOT NULL, 
	error_title VARCHAR, 
	error_detail VARCHAR, 
	CONSTRAINT pk_tasks PRIMARY KEY (id)
);
CREATE TABLE users (
	id VARCHAR(36) NOT NULL, 
	username VARCHAR NOT NULL, 
	folded VARCHAR NOT NULL, 
	display_name VARCHAR NOT NULL, 
	email VARCHAR NOT NULL, 
	picture_id VARCHAR NOT NULL, 
	admin BOOLEAN NOT NULL, 
	enabled BOOLEAN NOT NULL, 
	created DATETIME NOT NULL, 
	CONSTRAINT pk_users PRIMARY KEY (id), 
	CONSTRAINT uq_users_folded UNIQUE (folded)
);
CREATE TABLE games (
	id VARCHAR(36) NOT NULL, 
	library_id VARCHAR(36) NOT NULL, 
	path VARCHAR NOT NULL, 
	name VARCHAR NOT NULL, 
	metadata_source VARCHAR NOT NULL, 
	metadata_id VARCHAR NOT NULL, 
	created DATETIME NOT NULL, 
	CONSTRAINT pk_games PRIMARY KEY (id), 
	CONSTRAINT fk_games_library_id FOREIGN KEY(library_id) REFERENCES libraries (id), 
	CONSTRAINT uq_games_library_id_path UNIQUE (library_id, path), 
	CONSTRAINT uq_games_metadata_source_metadata_id UNIQUE (metadata_source, metadata_id)
);
CREATE TABLE mechanisms (
	id VARCHAR(36) NOT NULL, 
	user_id VARCHAR(36) NOT NULL, 
	kind VARCHAR NOT NULL, 
	subject VARCHAR, 
	secret VARCHAR, 
	CONSTRAINT pk_mechanisms PRIMARY KEY (id), 
	CONSTRAINT fk_mechanisms_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE, 
	CONSTRAINT uq_mechanisms_kind_subject UNIQUE (kind, subject), 
	CONSTRAINT uq_mechanisms_user_id_kind UNIQUE (user_id, kind)
);
CREATE TABLE password_resets (
	digest VARCHAR NOT NULL, 
	user_id VARCHAR(36) NOT NULL, 
	expires DATETIME NOT NULL, 
	CONSTRAINT pk_password_resets PRIMARY KEY (digest), 
	CONSTRAINT fk_password_resets_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
);
CREATE TABLE sessions (
	id VARCHAR(36) NOT NULL, 
	user_id VARCHAR(36) NOT NULL, 
	digest VARCHAR NOT NULL, 
	agent VARCHAR NOT NULL, 
	created DATETIME NOT NULL, 
	seen DATETIME NOT NULL, 
	expires DATETIME NOT NULL, 
	CONSTRAINT pk_sessions PRIMARY KEY (id), 
	CONSTRAINT fk_sessions_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE, 
	CONSTRAINT uq_sessions_digest UNIQUE (digest)
);
CREATE TABLE task_lines (
	id INTEGER NOT NULL, 
	task_id VARCHAR(36) NOT NULL, 
	at DATETIME NOT NULL, 
	level VARCHAR NOT NULL, 
	message VARCHAR NOT NULL, 
	CONSTRAINT pk_task_lines PRIMARY KEY (id), 
	CONSTRAINT fk_task_lines_task_id FOREIGN KEY(task_id) REFERENCES tasks (id) ON DELETE CASCADE
);
CREATE TABLE tokens (
	id VARCHAR(36) NOT NULL, 
	user_id VARCHAR(36) NOT NULL, 
	digest VARCHAR NOT NULL, 
	name VARCHAR NOT NULL, 
	acls JSON NOT NULL, 
	created DATETIME NOT NULL, 
	expires DATETIME, 
	CONSTRAINT pk_tokens PRIMARY KEY (id), 
	CONSTRAINT fk_tokens_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE, 
	CONSTRAINT uq_tokens_digest UNIQUE (digest)
);
CREATE TABLE import_checkpoints (
	id INTEGER NOT NULL, 
	game_id VARCHAR(36) NOT NULL, 
	version_name VARCHAR NOT NULL, 
	at DATETIME NOT NULL, 
	records BLOB NOT NULL, 
	CONSTRAINT pk_import_checkpoints PRIMARY KEY (id), 
	CONSTRAINT fk_import_checkpoints_game_id FOREIGN KEY(game_id) REFERENCES games (id) ON DELETE CASCADE
);
CREATE TABLE versions (
	id VARCHAR(36) NOT NULL, 
	game_id VARCHAR(36) NOT NULL, 
	position INTEGER NOT NULL, 
	name VARCHAR NOT NULL, 
	platform VARCHAR NOT NULL, 
	delta BOOLEAN NOT NULL, 
	base_id VARCHAR(36), 
	only_setup BOOLEAN NOT NULL, 
	launch VARCHAR NOT NULL, 
	launch_args VARCHAR NOT NULL, 
	setup VARCHAR NOT NULL, 
	setup_args VARCHAR NOT NULL, 
	compat_id VARCHAR, 
	size BIGINT NOT NULL, 
	installed_size BIGINT NOT NULL, 
	manifest_etag VARCHAR NOT NULL, 
	created DATETIME NOT NULL, 
	CONSTRAINT pk_versions PRIMARY KEY (id), 
	CONSTRAINT fk_versions_base_id FOREIGN KEY(base_id) REFERENCES versions (id), 
	CONSTRAINT fk_versions_game_id FOREIGN KEY(game_id) REFERENCES games (id) ON DELETE CASCADE, 
	CONSTRAINT uq_versions_game_id_name UNIQUE (game_id, name), 
	CONSTRAINT uq_versions_game_id_position UNIQUE (game_id, position)
);
INSERT INTO alembic_version ("version_num") VALUES ('0001');
INSERT INTO failures ("id", "key", "at") VALUES (1, 'user ada', '2026-01-02 03:04:05.000000');
INSERT INTO invitations ("id", "is_admin", "username", "email", "expires", "created") VALUES ('00000000-0000-4000-8000-000000000020', 0, NULL, NULL, '2099-01-02 03:04:05.000000', '2026-01-02 03:04:05.000000');
INSERT INTO libraries ("id", "name", "backend", "options", "created") VALUES ('00000000-0000-4000-8000-000000000001', 'Games', 'Filesystem', '{"baseDir": "/games"}', '2026-01-02 03:04:05.000000');
INSERT INTO objects ("id", "media_type", "size", "etag", "reader", "created") VALUES ('00000000-0000-4000-8000-000000000006', 'image/webp', 10, 'e', 'user:read', '2026-01-02 03:04:05.000000');
INSERT INTO tasks ("id", "task_group", "lane", "name", "subject", "arguments", "acls", "created", "due", "owner", "leased_until", "claims", "crashes", "retries", "cancelled", "progress", "started", "ended", "success", "error_title", "error_detail") VALUES ('00000000-0000-4000-8000-000000000008', 'import:game', 'light', 'Import Portal', 'import Portal 2', '{"path": "Portal"}', '[]', '2026-01-02 03:04:05.000000', '2099-01-02 03:04:05.000000', NULL, NULL, 1, 0, 0, 0, 50.0, NULL, NULL, 0, NULL, NULL);
INSERT INTO tasks ("id", "task_group", "lane", "name", "subject", "arguments", "acls", "created", "due", "owner", "leased_until", "claims", "crashes", "retries", "cancelled", "progress", "started", "ended", "success", "error_title", "error_detail") VALUES ('00000000-0000-4000-8000-000000000022', 'import:game', 'light', 'Import Portal', 'import Portal', '{"path": "Portal"}', '[]', '2026-01-02 03:04:05.000000', '2099-01-02 03:04:05.000000', NULL, NULL, 1, 0, 0, 0, 50.0, '2026-01-02 03:04:05.000000', '2026-01-02 03:04:05.000000', 0, 'Failed', 'It''s broken.');
INSERT INTO users ("id", "username", "folded", "display_name", "email", "picture_id", "admin", "enabled", "created") VALUES ('00000000-0000-4000-8000-000000000002', 'Ada', 'ada', 'Ada Lovelace', 'ada@example.org', '00000000-0000-4000-8000-000000000006', 1, 1, '2026-01-02 03:04:05.000000');
INSERT INTO games ("id", "library_id", "path", "name", "metadata_source", "metadata_id", "created") VALUES ('00000000-0000-4000-8000-000000000003', '00000000-0000-4000-8000-000000000001', 'Portal', 'Portal™', 'Steam', '400', '2026-01-02 03:04:05.000000');
INSERT INTO mechanisms ("id", "user_id", "kind", "subject", "secret") VALUES ('00000000-0000-4000-8000-000000000021', '00000000-0000-4000-8000-000000000002', 'Simple', NULL, '$argon2id$v=19$m=8,t=1,p=1$UDzu1GNWdXvgmbWCHQWAYg$F6N2HgEeJGutdcKgdxuUfxnypr64k4WrQadJRt9v8io');
INSERT INTO password_resets ("digest", "user_id", "expires") VALUES ('reset', '00000000-0000-4000-8000-000000000002', '2026-01-02 03:04:05.000000');
INSERT INTO sessions ("id", "user_id", "digest", "agent", "created", "seen", "expires") VALUES ('00000000-0000-4000-8000-000000000009', '00000000-0000-4000-8000-000000000002', 'b43f195fb2477ef49eedaa13115b24b85bcdd08561e2fce1a70fc2aa010089c0', 'a browser', '2026-01-02 03:04:05.000000', '2099-01-02 03:04:05.000000', '2099-01-02 03:04:05.000000');
INSERT INTO task_lines ("id", "task_id", "at", "level", "message") VALUES (1, '00000000-0000-4000-8000-000000000008', '2026-01-02 03:04:05.000000', 'info', 'It''s 50%; "done" ✓');
INSERT INTO tokens ("id", "user_id", "digest", "name", "acls", "created", "expires") VALUES ('00000000-0000-4000-8000-000000000010', '00000000-0000-4000-8000-000000000002', 'token', 'n', '["store:read"]', '2026-01-02 03:04:05.000000', NULL);
INSERT INTO import_checkpoints ("id", "game_id", "version_name", "at", "records") VALUES (1, '00000000-0000-4000-8000-000000000003', '1.2', '2026-01-02 03:04:05.000000', X'00FF7265636F726473');
INSERT INTO versions ("id", "game_id", "position", "name", "platform", "delta", "base_id", "only_setup", "launch", "launch_args", "setup", "setup_args", "compat_id", "size", "installed_size", "manifest_etag", "created") VALUES ('00000000-0000-4000-8000-000000000004', '00000000-0000-4000-8000-000000000003', 1, '1.0', 'Linux', 0, NULL, 0, 'bin/portal', '-novid', '', '', NULL, 5000000000, 6000000000, '1.0', '2026-01-02 03:04:05.000000');
INSERT INTO versions ("id", "game_id", "position", "name", "platform", "delta", "base_id", "only_setup", "launch", "launch_args", "setup", "setup_args", "compat_id", "size", "installed_size", "manifest_etag", "created") VALUES ('00000000-0000-4000-8000-000000000005', '00000000-0000-4000-8000-000000000003', 2, '1.1', 'Linux', 1, '00000000-0000-4000-8000-000000000004', 0, 'bin/portal', '-novid', '', '', NULL, 5000000000, 6000000000, '1.1', '2026-01-02 03:04:05.000000');
CREATE INDEX ix_failures_key_at ON failures ("key", at);
CREATE INDEX ix_tasks_ended_lane_due ON tasks (ended, lane, due);
CREATE UNIQUE INDEX uq_tasks_living_subject ON tasks (subject) WHERE ended IS NULL;
CREATE INDEX ix_password_resets_user_id ON password_resets (user_id);
CREATE INDEX ix_sessions_user_id ON sessions (user_id);
CREATE INDEX ix_task_lines_task_id ON task_lines (task_id);
CREATE INDEX ix_tokens_user_id ON tokens (user_id);
CREATE INDEX ix_import_checkpoints_game_id_version_name ON import_checkpoints (game_id, version_name);
