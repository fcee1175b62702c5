PRAGMA foreign_keys = OFF;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
CREATE TABLE "failed_attempts" (
	id INTEGER NOT NULL, 
	"key" VARCHAR NOT NULL, 
	at DATETIME NOT NULL, 
	CONSTRAINT pk_failed_attempts PRIMARY KEY (id)
);
CREATE TABLE libraries (
	id VARCHAR(36) NOT NULL, 
	name VARCHAR NOT NULL, 
	backend VARCHAR NOT NULL, 
	options JSON NOT NULL, 
	created DATETIME NOT NULL, rules JSON, 
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
	queue VARCHAR NOT NULL, 
	name VARCHAR NOT NULL, 
	subject VARCHAR NOT NULL, 
	arguments JSON NOT NULL, 
	acls JSON NOT NULL, 
	created DATETIME NOT NULL, 
	due DATETIME NOT NULL, 
	worker_id VARCHAR, 
	leased_until DATETIME, 
	attempt INTEGER NOT NULL, 
	crashes INTEGER NOT NULL, 
	retries INTEGER NOT NULL, 
	cancelled BOOLEAN NOT NULL, 
	progress DOUBLE NOT NULL, 
	started DATETIME, 
	ended DATETIME, 
	success BOOLEAN NOT NULL, 
	error_title VARCHAR, 
	error_detail VARCHAR, name_code VARCHAR, name_parameters JSON, error_code VARCHAR, error_parameters JSON, node VARCHAR, 
	CONSTRAINT pk_tasks PRIMARY KEY (id)
);
CREATE TABLE users (
	id VARCHAR(36) NOT NULL, 
	username VARCHAR NOT NULL, 
	normalized_name VARCHAR NOT NULL, 
	display_name VARCHAR NOT NULL, 
	email VARCHAR NOT NULL, 
	picture_id VARCHAR NOT NULL, 
	admin BOOLEAN NOT NULL, 
	enabled BOOLEAN NOT NULL, 
	created DATETIME NOT NULL, download_rate BIGINT, downloads_at_once INTEGER, 
	CONSTRAINT pk_users PRIMARY KEY (id), 
	CONSTRAINT uq_users_normalized_name UNIQUE (normalized_name)
);
CREATE TABLE games (
	id VARCHAR(36) NOT NULL, 
	library_id VARCHAR(36) NOT NULL, 
	path VARCHAR NOT NULL, 
	name VARCHAR NOT NULL, 
	metadata_source VARCHAR NOT NULL, 
	metadata_id VARCHAR NOT NULL, 
	created DATETIME NOT NULL, sort_name VARCHAR DEFAULT '' NOT NULL, short_description VARCHAR DEFAULT '' NOT NULL, description VARCHAR DEFAULT '' NOT NULL, released DATE, release_precision VARCHAR, featured BOOLEAN DEFAULT 0 NOT NULL, rating DOUBLE, ratings JSON DEFAULT '[]' NOT NULL, age_ratings JSON DEFAULT '[]' NOT NULL, websites JSON DEFAULT '[]' NOT NULL, external_ids JSON DEFAULT '{}' NOT NULL, sources JSON DEFAULT '{}' NOT NULL, run_id VARCHAR, updated DATETIME, refreshed DATETIME, layout VARCHAR, 
	CONSTRAINT pk_games PRIMARY KEY (id), 
	CONSTRAINT fk_games_library_id FOREIGN KEY(library_id) REFERENCES libraries (id), 
	CONSTRAINT uq_games_library_id_path UNIQUE (library_id, path), 
	CONSTRAINT uq_games_metadata_source_metadata_id UNIQUE (metadata_source, metadata_id)
);
CREATE TABLE "sign_in_methods" (
	id VARCHAR(36) NOT NULL, 
	user_id VARCHAR(36) NOT NULL, 
	kind VARCHAR NOT NULL, 
	subject VARCHAR, 
	secret VARCHAR, 
	CONSTRAINT pk_sign_in_methods PRIMARY KEY (id), 
	CONSTRAINT fk_sign_in_methods_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE, 
	CONSTRAINT uq_sign_in_methods_kind_subject UNIQUE (kind, subject), 
	CONSTRAINT uq_sign_in_methods_user_id_kind UNIQUE (user_id, kind)
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
	expires DATETIME NOT NULL, authenticated DATETIME, replaced_until DATETIME, replaced_digest VARCHAR, 
	CONSTRAINT pk_sessions PRIMARY KEY (id), 
	CONSTRAINT fk_sessions_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE, 
	CONSTRAINT uq_sessions_digest UNIQUE (digest)
);
CREATE TABLE "task_log" (
	id INTEGER NOT NULL, 
	task_id VARCHAR(36) NOT NULL, 
	at DATETIME NOT NULL, 
	level VARCHAR NOT NULL, 
	message VARCHAR NOT NULL, code VARCHAR, parameters JSON, 
	CONSTRAINT pk_task_log PRIMARY KEY (id), 
	CONSTRAINT fk_task_log_task_id FOREIGN KEY(task_id) REFERENCES tasks (id) ON DELETE CASCADE
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
	created DATETIME NOT NULL, revision INTEGER DEFAULT '0' NOT NULL, damaged DATETIME, verified DATETIME, label VARCHAR, beside BOOLEAN DEFAULT 0 NOT NULL, 
	CONSTRAINT pk_versions PRIMARY KEY (id), 
	CONSTRAINT fk_versions_base_id FOREIGN KEY(base_id) REFERENCES versions (id), 
	CONSTRAINT fk_versions_game_id FOREIGN KEY(game_id) REFERENCES games (id) ON DELETE CASCADE, 
	CONSTRAINT uq_versions_game_id_name UNIQUE (game_id, name), 
	CONSTRAINT uq_versions_game_id_position UNIQUE (game_id, position)
);
CREATE TABLE companies (
	id VARCHAR(36) NOT NULL, 
	name VARCHAR NOT NULL, 
	normalized_name VARCHAR NOT NULL, 
	description VARCHAR NOT NULL, 
	website VARCHAR NOT NULL, 
	created DATETIME NOT NULL, 
	CONSTRAINT pk_companies PRIMARY KEY (id), 
	CONSTRAINT uq_companies_normalized_name UNIQUE (normalized_name)
);
CREATE TABLE import_runs (
	id VARCHAR(36) NOT NULL, 
	task_id VARCHAR, 
	created DATETIME NOT NULL, 
	undone DATETIME, automatic BOOLEAN, 
	CONSTRAINT pk_import_runs PRIMARY KEY (id)
);
CREATE TABLE "provider_responses" (
	digest VARCHAR NOT NULL, 
	source_id VARCHAR NOT NULL, 
	body BLOB NOT NULL, 
	expires DATETIME NOT NULL, 
	CONSTRAINT pk_provider_responses PRIMARY KEY (digest)
);
CREATE TABLE provider_states (
	source_id VARCHAR NOT NULL, 
	calls JSON NOT NULL, 
	resting_until DATETIME, 
	token VARCHAR, 
	token_expires DATETIME, 
	CONSTRAINT pk_provider_states PRIMARY KEY (source_id)
);
CREATE TABLE tags (
	id VARCHAR(36) NOT NULL, 
	kind VARCHAR NOT NULL, 
	name VARCHAR NOT NULL, 
	normalized_name VARCHAR NOT NULL, 
	created DATETIME NOT NULL, 
	CONSTRAINT pk_tags PRIMARY KEY (id), 
	CONSTRAINT uq_tags_kind_normalized_name UNIQUE (kind, normalized_name)
);
CREATE TABLE collections (
	id VARCHAR(36) NOT NULL, 
	user_id VARCHAR(36) NOT NULL, 
	name VARCHAR NOT NULL, 
	is_default BOOLEAN NOT NULL, 
	created DATETIME NOT NULL, 
	CONSTRAINT pk_collections PRIMARY KEY (id), 
	CONSTRAINT fk_collections_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
);
CREATE TABLE import_run_rows (
	id INTEGER NOT NULL, 
	run_id VARCHAR(36) NOT NULL, 
	position INTEGER NOT NULL, 
	library_id VARCHAR NOT NULL, 
	path VARCHAR NOT NULL, 
	choice JSON NOT NULL, 
	done DATETIME, 
	game_id VARCHAR, 
	fault VARCHAR, 
	CONSTRAINT pk_import_run_rows PRIMARY KEY (id), 
	CONSTRAINT fk_import_run_rows_run_id FOREIGN KEY(run_id) REFERENCES import_runs (id) ON DELETE CASCADE, 
	CONSTRAINT uq_import_run_rows_run_id_position UNIQUE (run_id, position)
);
CREATE TABLE plan_rows (
	id VARCHAR(36) NOT NULL, 
	library_id VARCHAR(36) NOT NULL, 
	path VARCHAR NOT NULL, 
	title VARCHAR NOT NULL, 
	certain BOOLEAN NOT NULL, 
	confidence DOUBLE NOT NULL, 
	source_id VARCHAR, 
	metadata_id VARCHAR, 
	clues JSON NOT NULL, 
	candidates JSON NOT NULL, 
	versions JSON NOT NULL, 
	remark VARCHAR NOT NULL, 
	computed DATETIME NOT NULL, remark_code VARCHAR, remark_parameters JSON, 
	CONSTRAINT pk_plan_rows PRIMARY KEY (id), 
	CONSTRAINT fk_plan_rows_library_id FOREIGN KEY(library_id) REFERENCES libraries (id) ON DELETE CASCADE, 
	CONSTRAINT uq_plan_rows_library_id_path UNIQUE (library_id, path)
);
CREATE TABLE collection_entries (
	collection_id VARCHAR(36) NOT NULL, 
	game_id VARCHAR(36) NOT NULL, 
	added DATETIME NOT NULL, 
	CONSTRAINT pk_collection_entries PRIMARY KEY (collection_id, game_id), 
	CONSTRAINT fk_collection_entries_collection_id FOREIGN KEY(collection_id) REFERENCES collections (id) ON DELETE CASCADE, 
	CONSTRAINT fk_collection_entries_game_id FOREIGN KEY(game_id) REFERENCES games (id) ON DELETE CASCADE
);
CREATE TABLE game_companies (
	game_id VARCHAR(36) NOT NULL, 
	role VARCHAR NOT NULL, 
	company_id VARCHAR(36) NOT NULL, 
	position INTEGER NOT NULL, 
	CONSTRAINT pk_game_companies PRIMARY KEY (game_id, role, company_id), 
	CONSTRAINT fk_game_companies_company_id FOREIGN KEY(company_id) REFERENCES companies (id) ON DELETE CASCADE, 
	CONSTRAINT fk_game_companies_game_id FOREIGN KEY(game_id) REFERENCES games (id) ON DELETE CASCADE
);
CREATE TABLE game_tags (
	game_id VARCHAR(36) NOT NULL, 
	tag_id VARCHAR(36) NOT NULL, 
	position INTEGER NOT NULL, 
	CONSTRAINT pk_game_tags PRIMARY KEY (game_id, tag_id), 
	CONSTRAINT fk_game_tags_game_id FOREIGN KEY(game_id) REFERENCES games (id) ON DELETE CASCADE, 
	CONSTRAINT fk_game_tags_tag_id FOREIGN KEY(tag_id) REFERENCES tags (id) ON DELETE CASCADE
);
CREATE TABLE pictures (
	id VARCHAR(36) NOT NULL, 
	game_id VARCHAR(36) NOT NULL, 
	source VARCHAR NOT NULL, 
	address VARCHAR NOT NULL, 
	credit VARCHAR NOT NULL, 
	renditions JSON NOT NULL, 
	created DATETIME NOT NULL, placeholder VARCHAR, colour VARCHAR, 
	CONSTRAINT pk_pictures PRIMARY KEY (id), 
	CONSTRAINT fk_pictures_game_id FOREIGN KEY(game_id) REFERENCES games (id) ON DELETE CASCADE
);
CREATE TABLE picture_uses (
	game_id VARCHAR(36) NOT NULL, 
	role VARCHAR NOT NULL, 
	position INTEGER NOT NULL, 
	picture_id VARCHAR(36) NOT NULL, 
	CONSTRAINT pk_picture_uses PRIMARY KEY (game_id, role, position), 
	CONSTRAINT fk_picture_uses_game_id FOREIGN KEY(game_id) REFERENCES games (id) ON DELETE CASCADE, 
	CONSTRAINT fk_picture_uses_picture_id FOREIGN KEY(picture_id) REFERENCES pictures (id) ON DELETE CASCADE
);
CREATE TABLE openid_tests (
	digest VARCHAR NOT NULL, 
	opened BOOLEAN NOT NULL, 
	claims VARCHAR, 
	refusal VARCHAR, 
	expires DATETIME NOT NULL, 
	CONSTRAINT pk_openid_tests PRIMARY KEY (digest)
);
CREATE TABLE openid_flows (
	state VARCHAR NOT NULL, 
	browser VARCHAR NOT NULL, 
	nonce VARCHAR NOT NULL, 
	verifier VARCHAR NOT NULL, 
	redirect VARCHAR NOT NULL, 
	session_id VARCHAR(36), 
	test VARCHAR, 
	expires DATETIME NOT NULL, recent BOOLEAN DEFAULT 0 NOT NULL, 
	CONSTRAINT pk_openid_flows PRIMARY KEY (state), 
	CONSTRAINT fk_openid_flows_session_id FOREIGN KEY(session_id) REFERENCES sessions (id) ON DELETE CASCADE, 
	CONSTRAINT fk_openid_flows_test FOREIGN KEY(test) REFERENCES openid_tests (digest) ON DELETE CASCADE
);
CREATE TABLE openid_sessions (
	session_id VARCHAR(36) NOT NULL, 
	id_token VARCHAR NOT NULL, 
	CONSTRAINT pk_openid_sessions PRIMARY KEY (session_id), 
	CONSTRAINT fk_openid_sessions_session_id FOREIGN KEY(session_id) REFERENCES sessions (id) ON DELETE CASCADE
);
CREATE TABLE search_entries (
	id INTEGER NOT NULL, 
	game_id VARCHAR(36) NOT NULL, 
	title VARCHAR NOT NULL, 
	labels VARCHAR NOT NULL, version INTEGER DEFAULT '1' NOT NULL, 
	CONSTRAINT pk_search_entries PRIMARY KEY (id), 
	CONSTRAINT fk_search_entries_game_id FOREIGN KEY(game_id) REFERENCES games (id) ON DELETE CASCADE, 
	CONSTRAINT uq_search_entries_game_id UNIQUE (game_id)
);
CREATE VIRTUAL TABLE search_index USING fts5(title, labels, text, grams, tokenize = 'ascii tokenchars ''_''');
CREATE TABLE device_requests (
	id VARCHAR(36) NOT NULL, 
	digest VARCHAR NOT NULL, 
	user_code VARCHAR NOT NULL, 
	name VARCHAR NOT NULL, 
	platform VARCHAR NOT NULL, 
	created DATETIME NOT NULL, 
	expires DATETIME NOT NULL, 
	polled DATETIME, 
	pause INTEGER NOT NULL, 
	user_id VARCHAR(36), 
	denied BOOLEAN NOT NULL, drop_mode VARCHAR, approved DATETIME, capabilities VARCHAR, 
	CONSTRAINT pk_device_requests PRIMARY KEY (id), 
	CONSTRAINT fk_device_requests_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE, 
	CONSTRAINT uq_device_requests_digest UNIQUE (digest), 
	CONSTRAINT uq_device_requests_user_code UNIQUE (user_code)
);
CREATE TABLE devices (
	id VARCHAR(36) NOT NULL, 
	user_id VARCHAR(36) NOT NULL, 
	digest VARCHAR NOT NULL, 
	name VARCHAR NOT NULL, 
	platform VARCHAR NOT NULL, 
	created DATETIME NOT NULL, 
	seen DATETIME NOT NULL, certificate VARCHAR, capabilities VARCHAR, 
	CONSTRAINT pk_devices PRIMARY KEY (id), 
	CONSTRAINT fk_devices_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE, 
	CONSTRAINT uq_devices_digest UNIQUE (digest)
);
CREATE TABLE damages (
	id INTEGER NOT NULL, 
	version_id VARCHAR(36) NOT NULL, 
	path VARCHAR NOT NULL, 
	fault VARCHAR NOT NULL, 
	found DATETIME NOT NULL, 
	CONSTRAINT pk_damages PRIMARY KEY (id), 
	CONSTRAINT fk_damages_version_id FOREIGN KEY(version_id) REFERENCES versions (id) ON DELETE CASCADE, 
	CONSTRAINT uq_damages_version_id_path UNIQUE (version_id, path)
);
CREATE TABLE download_links (
	id VARCHAR(36) NOT NULL, 
	user_id VARCHAR(36) NOT NULL, 
	version_id VARCHAR(36) NOT NULL, 
	digest VARCHAR NOT NULL, 
	target VARCHAR NOT NULL, 
	created DATETIME NOT NULL, 
	expires DATETIME NOT NULL, 
	bytes_left BIGINT, 
	CONSTRAINT pk_download_links PRIMARY KEY (id), 
	CONSTRAINT fk_download_links_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE, 
	CONSTRAINT fk_download_links_version_id FOREIGN KEY(version_id) REFERENCES versions (id) ON DELETE CASCADE, 
	CONSTRAINT uq_download_links_digest UNIQUE (digest)
);
CREATE TABLE patch_sets (
	id VARCHAR(36) NOT NULL, 
	version_id VARCHAR(36) NOT NULL, 
	from_id VARCHAR(36) NOT NULL, 
	version_etag VARCHAR NOT NULL, 
	from_etag VARCHAR NOT NULL, 
	size BIGINT NOT NULL, 
	created DATETIME NOT NULL, 
	used DATETIME NOT NULL, 
	CONSTRAINT pk_patch_sets PRIMARY KEY (id), 
	CONSTRAINT fk_patch_sets_from_id FOREIGN KEY(from_id) REFERENCES versions (id) ON DELETE CASCADE, 
	CONSTRAINT fk_patch_sets_version_id FOREIGN KEY(version_id) REFERENCES versions (id) ON DELETE CASCADE, 
	CONSTRAINT uq_patch_sets_version_id_from_id UNIQUE (version_id, from_id)
);
CREATE TABLE transfer_days (
	id VARCHAR(36) NOT NULL, 
	day DATE NOT NULL, 
	user_id VARCHAR(36), 
	version_id VARCHAR(36) NOT NULL, 
	bytes BIGINT NOT NULL, 
	CONSTRAINT pk_transfer_days PRIMARY KEY (id), 
	CONSTRAINT fk_transfer_days_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE SET NULL, 
	CONSTRAINT uq_transfer_days_day_user_id_version_id UNIQUE (day, user_id, version_id)
);
CREATE TABLE cache_revisions (
	id INTEGER NOT NULL, 
	credentials BIGINT NOT NULL, 
	content BIGINT NOT NULL, settings BIGINT DEFAULT '0' NOT NULL, store BIGINT DEFAULT '0' NOT NULL, 
	CONSTRAINT pk_cache_revisions PRIMARY KEY (id)
);
CREATE TABLE "tokens" (
	id VARCHAR(36) NOT NULL, 
	user_id VARCHAR(36) NOT NULL, 
	digest VARCHAR NOT NULL, 
	name VARCHAR NOT NULL, 
	acls JSON NOT NULL, 
	created DATETIME NOT NULL, 
	expires DATETIME NOT NULL, 
	CONSTRAINT pk_tokens PRIMARY KEY (id), 
	CONSTRAINT uq_tokens_digest UNIQUE (digest), 
	CONSTRAINT fk_tokens_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
);
CREATE TABLE schema_upgrades (
	revision VARCHAR NOT NULL, 
	release VARCHAR NOT NULL, 
	at DATETIME NOT NULL, 
	CONSTRAINT pk_schema_upgrades PRIMARY KEY (revision)
);
CREATE TABLE "invitations" (
	id VARCHAR NOT NULL, 
	is_admin BOOLEAN NOT NULL, 
	username VARCHAR, 
	email VARCHAR, 
	expires DATETIME NOT NULL, 
	created DATETIME NOT NULL, 
	CONSTRAINT pk_invitations PRIMARY KEY (id)
);
CREATE TABLE server_profile (
	id VARCHAR(36) NOT NULL, 
	name VARCHAR NOT NULL, 
	greeting VARCHAR NOT NULL, 
	logo_id VARCHAR, 
	CONSTRAINT pk_server_profile PRIMARY KEY (id)
);
CREATE TABLE device_installations (
	device_id VARCHAR(36) NOT NULL, 
	game_id VARCHAR(36) NOT NULL, 
	version_id VARCHAR(36), 
	CONSTRAINT pk_device_installations PRIMARY KEY (device_id, game_id), 
	CONSTRAINT fk_device_installations_device_id FOREIGN KEY(device_id) REFERENCES devices (id) ON DELETE CASCADE, 
	CONSTRAINT fk_device_installations_game_id FOREIGN KEY(game_id) REFERENCES games (id) ON DELETE CASCADE, 
	CONSTRAINT fk_device_installations_version_id FOREIGN KEY(version_id) REFERENCES versions (id) ON DELETE SET NULL
);
CREATE TABLE queued_installations (
	device_id VARCHAR(36) NOT NULL, 
	game_id VARCHAR(36) NOT NULL, 
	queued DATETIME NOT NULL, 
	CONSTRAINT pk_queued_installations PRIMARY KEY (device_id, game_id), 
	CONSTRAINT fk_queued_installations_device_id FOREIGN KEY(device_id) REFERENCES devices (id) ON DELETE CASCADE, 
	CONSTRAINT fk_queued_installations_game_id FOREIGN KEY(game_id) REFERENCES games (id) ON DELETE CASCADE
);
CREATE TABLE nodes (
	id VARCHAR NOT NULL, 
	name VARCHAR NOT NULL, 
	release VARCHAR NOT NULL, 
	started DATETIME NOT NULL, 
	heartbeat DATETIME NOT NULL, 
	demand JSON, 
	CONSTRAINT pk_nodes PRIMARY KEY (id)
);
CREATE TABLE audit_entries (
	id INTEGER NOT NULL, 
	at DATETIME NOT NULL, 
	user_id VARCHAR NOT NULL, 
	username VARCHAR NOT NULL, 
	credential VARCHAR NOT NULL, 
	address VARCHAR NOT NULL, 
	operation VARCHAR NOT NULL, 
	permissions JSON NOT NULL, 
	subject_id VARCHAR NOT NULL, 
	subject VARCHAR NOT NULL, 
	details JSON NOT NULL, 
	request_id VARCHAR NOT NULL, 
	CONSTRAINT pk_audit_entries PRIMARY KEY (id)
);
CREATE TABLE stored_settings (
	name VARCHAR NOT NULL, 
	value VARCHAR NOT NULL, 
	CONSTRAINT pk_stored_settings PRIMARY KEY (name)
);
CREATE TABLE disk_days (
	day DATE NOT NULL, 
	disk VARCHAR(36) NOT NULL, 
	free BIGINT NOT NULL, 
	CONSTRAINT pk_disk_days PRIMARY KEY (day, disk)
);
CREATE TABLE drop_contexts (
	id VARCHAR(36) NOT NULL, 
	device_id VARCHAR(36) NOT NULL, 
	version_id VARCHAR(36) NOT NULL, 
	manifest_etag VARCHAR NOT NULL, 
	used DATETIME NOT NULL, 
	CONSTRAINT pk_drop_contexts PRIMARY KEY (id), 
	CONSTRAINT fk_drop_contexts_device_id FOREIGN KEY(device_id) REFERENCES devices (id) ON DELETE CASCADE, 
	CONSTRAINT fk_drop_contexts_version_id FOREIGN KEY(version_id) REFERENCES versions (id) ON DELETE CASCADE
);
CREATE TABLE events (
	id INTEGER NOT NULL, 
	event_type VARCHAR NOT NULL, 
	nonce VARCHAR NOT NULL, 
	data JSON NOT NULL, 
	created DATETIME NOT NULL, 
	batch VARCHAR, 
	announced DATETIME, dispatched DATETIME, position INTEGER, 
	CONSTRAINT pk_events PRIMARY KEY (id), 
	CONSTRAINT uq_events_nonce UNIQUE (nonce)
);
CREATE TABLE notifications (
	id INTEGER NOT NULL, 
	user_id VARCHAR(36) NOT NULL, 
	nonce VARCHAR NOT NULL, 
	event_type VARCHAR NOT NULL, 
	title VARCHAR NOT NULL, 
	title_code VARCHAR NOT NULL, 
	title_parameters JSON NOT NULL, 
	description VARCHAR NOT NULL, 
	description_code VARCHAR, 
	description_parameters JSON NOT NULL, 
	link VARCHAR NOT NULL, 
	created DATETIME NOT NULL, 
	read BOOLEAN NOT NULL, in_app BOOLEAN DEFAULT 1 NOT NULL, 
	CONSTRAINT pk_notifications PRIMARY KEY (id), 
	CONSTRAINT fk_notifications_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE, 
	CONSTRAINT uq_notifications_user_id_nonce UNIQUE (user_id, nonce)
);
CREATE TABLE notification_preferences (
	user_id VARCHAR(36) NOT NULL, 
	preferences JSON NOT NULL, 
	CONSTRAINT pk_notification_preferences PRIMARY KEY (user_id), 
	CONSTRAINT fk_notification_preferences_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
);
CREATE TABLE found_versions (
	id VARCHAR(36) NOT NULL, 
	library_id VARCHAR(36) NOT NULL, 
	path VARCHAR NOT NULL, 
	version VARCHAR NOT NULL, 
	fingerprint VARCHAR NOT NULL, 
	seen DATETIME NOT NULL, 
	changed DATETIME NOT NULL, 
	due DATETIME, 
	decided DATETIME, 
	task_id VARCHAR, 
	undone DATETIME, checked DATETIME, 
	CONSTRAINT pk_found_versions PRIMARY KEY (id), 
	CONSTRAINT fk_found_versions_library_id FOREIGN KEY(library_id) REFERENCES libraries (id) ON DELETE CASCADE, 
	CONSTRAINT uq_found_versions_library_id_path_version UNIQUE (library_id, path, version)
);
CREATE TABLE game_requests (
	id VARCHAR(36) NOT NULL, 
	user_id VARCHAR(36), 
	"key" VARCHAR, 
	name VARCHAR NOT NULL, 
	year INTEGER NOT NULL, 
	source_id VARCHAR, 
	metadata_id VARCHAR, 
	icon VARCHAR NOT NULL, 
	status VARCHAR NOT NULL, 
	comment VARCHAR NOT NULL, 
	library_id VARCHAR(36), 
	path VARCHAR, 
	game_id VARCHAR(36), 
	created DATETIME NOT NULL, 
	answered DATETIME, 
	CONSTRAINT pk_game_requests PRIMARY KEY (id), 
	CONSTRAINT fk_game_requests_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE SET NULL, 
	CONSTRAINT fk_game_requests_library_id FOREIGN KEY(library_id) REFERENCES libraries (id) ON DELETE SET NULL, 
	CONSTRAINT fk_game_requests_game_id FOREIGN KEY(game_id) REFERENCES games (id) ON DELETE SET NULL, 
	CONSTRAINT uq_game_requests_key UNIQUE ("key")
);
CREATE TABLE game_request_votes (
	request_id VARCHAR(36) NOT NULL, 
	user_id VARCHAR(36) NOT NULL, 
	created DATETIME NOT NULL, 
	CONSTRAINT pk_game_request_votes PRIMARY KEY (request_id, user_id), 
	CONSTRAINT fk_game_request_votes_request_id FOREIGN KEY(request_id) REFERENCES game_requests (id) ON DELETE CASCADE, 
	CONSTRAINT fk_game_request_votes_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
);
CREATE TABLE moved_rows (
	server VARCHAR NOT NULL, 
	kind VARCHAR NOT NULL, 
	source_key VARCHAR NOT NULL, 
	target VARCHAR NOT NULL, 
	created DATETIME NOT NULL, 
	CONSTRAINT pk_moved_rows PRIMARY KEY (server, kind, source_key)
);
CREATE TABLE delivery_preferences (
	user_id VARCHAR(36) NOT NULL, 
	preferences JSON NOT NULL, 
	verified_email VARCHAR, 
	verification_sent DATETIME, 
	CONSTRAINT pk_delivery_preferences PRIMARY KEY (user_id), 
	CONSTRAINT fk_delivery_preferences_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
);
CREATE TABLE deliveries (
	id INTEGER NOT NULL, 
	notification_id INTEGER NOT NULL, 
	user_id VARCHAR(36) NOT NULL, 
	channel VARCHAR NOT NULL, 
	created DATETIME NOT NULL, 
	due DATETIME NOT NULL, 
	message VARCHAR, 
	attempts INTEGER NOT NULL, 
	CONSTRAINT pk_deliveries PRIMARY KEY (id), 
	CONSTRAINT fk_deliveries_notification_id FOREIGN KEY(notification_id) REFERENCES notifications (id) ON DELETE CASCADE, 
	CONSTRAINT fk_deliveries_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE, 
	CONSTRAINT uq_deliveries_notification_id_channel UNIQUE (notification_id, channel)
);
CREATE TABLE uploads (
	id VARCHAR(36) NOT NULL, 
	library_id VARCHAR(36) NOT NULL, 
	user_id VARCHAR(36), 
	game VARCHAR NOT NULL, 
	version VARCHAR NOT NULL, 
	digest VARCHAR NOT NULL, 
	files INTEGER NOT NULL, 
	size BIGINT NOT NULL, 
	received BIGINT NOT NULL, 
	created DATETIME NOT NULL, 
	expires DATETIME NOT NULL, 
	task_id VARCHAR, 
	placed DATETIME, 
	CONSTRAINT pk_uploads PRIMARY KEY (id), 
	CONSTRAINT fk_uploads_library_id FOREIGN KEY(library_id) REFERENCES libraries (id) ON DELETE CASCADE, 
	CONSTRAINT fk_uploads_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE SET NULL
);
CREATE TABLE news_articles (
	id VARCHAR(36) NOT NULL, 
	title VARCHAR NOT NULL, 
	description VARCHAR NOT NULL, 
	content VARCHAR NOT NULL, 
	image_id VARCHAR, 
	author_id VARCHAR(36), 
	game_id VARCHAR(36), 
	version_id VARCHAR(36), 
	published DATETIME NOT NULL, 
	changed DATETIME NOT NULL, 
	CONSTRAINT pk_news_articles PRIMARY KEY (id), 
	CONSTRAINT fk_news_articles_author_id FOREIGN KEY(author_id) REFERENCES users (id) ON DELETE SET NULL, 
	CONSTRAINT fk_news_articles_game_id FOREIGN KEY(game_id) REFERENCES games (id) ON DELETE SET NULL, 
	CONSTRAINT fk_news_articles_version_id FOREIGN KEY(version_id) REFERENCES versions (id) ON DELETE SET NULL, 
	CONSTRAINT uq_news_articles_version_id UNIQUE (version_id)
);
CREATE TABLE news_feeds (
	user_id VARCHAR(36) NOT NULL, 
	digest VARCHAR NOT NULL, 
	created DATETIME NOT NULL, 
	CONSTRAINT pk_news_feeds PRIMARY KEY (user_id), 
	CONSTRAINT fk_news_feeds_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE, 
	CONSTRAINT uq_news_feeds_digest UNIQUE (digest)
);
CREATE TABLE webhooks (
	id VARCHAR(36) NOT NULL, 
	url VARCHAR NOT NULL, 
	secret VARCHAR NOT NULL, 
	event_types JSON NOT NULL, 
	enabled BOOLEAN NOT NULL, 
	created DATETIME NOT NULL, 
	CONSTRAINT pk_webhooks PRIMARY KEY (id)
);
CREATE TABLE webhook_deliveries (
	id VARCHAR(36) NOT NULL, 
	webhook_id VARCHAR(36) NOT NULL, 
	event_type VARCHAR NOT NULL, 
	occurred DATETIME NOT NULL, 
	data JSON NOT NULL, 
	created DATETIME NOT NULL, 
	attempts INTEGER NOT NULL, 
	due DATETIME, 
	delivered DATETIME, 
	status INTEGER, 
	error VARCHAR, 
	error_code VARCHAR, 
	error_parameters JSON NOT NULL, 
	CONSTRAINT pk_webhook_deliveries PRIMARY KEY (id), 
	CONSTRAINT fk_webhook_deliveries_webhook_id FOREIGN KEY(webhook_id) REFERENCES webhooks (id) ON DELETE CASCADE
);
CREATE TABLE file_changes (
	id VARCHAR(36) NOT NULL, 
	kind VARCHAR NOT NULL, 
	library_id VARCHAR(36) NOT NULL, 
	game_id VARCHAR NOT NULL, 
	change JSON NOT NULL, 
	switched BOOLEAN NOT NULL, 
	created DATETIME NOT NULL, 
	task_id VARCHAR NOT NULL, 
	CONSTRAINT pk_file_changes PRIMARY KEY (id), 
	CONSTRAINT fk_file_changes_library_id FOREIGN KEY(library_id) REFERENCES libraries (id), 
	CONSTRAINT uq_file_changes_game_id UNIQUE (game_id)
);
CREATE TABLE trash_items (
	id VARCHAR(36) NOT NULL, 
	library_id VARCHAR(36) NOT NULL, 
	game_id VARCHAR NOT NULL, 
	version_id VARCHAR, 
	game_name VARCHAR NOT NULL, 
	version_name VARCHAR, 
	paths JSON NOT NULL, 
	size BIGINT NOT NULL, 
	record_names JSON NOT NULL, 
	removal JSON NOT NULL, 
	deleted DATETIME NOT NULL, 
	CONSTRAINT pk_trash_items PRIMARY KEY (id), 
	CONSTRAINT fk_trash_items_library_id FOREIGN KEY(library_id) REFERENCES libraries (id)
);
CREATE TABLE push_subscriptions (
	session_id VARCHAR(36) NOT NULL, 
	user_id VARCHAR(36) NOT NULL, 
	endpoint VARCHAR NOT NULL, 
	public_key VARCHAR NOT NULL, 
	auth_secret VARCHAR NOT NULL, 
	created DATETIME NOT NULL, 
	delivered VARCHAR, 
	CONSTRAINT pk_push_subscriptions PRIMARY KEY (session_id), 
	CONSTRAINT fk_push_subscriptions_session_id FOREIGN KEY(session_id) REFERENCES sessions (id) ON DELETE CASCADE, 
	CONSTRAINT fk_push_subscriptions_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
);
CREATE TABLE play_sessions (
	user_id VARCHAR(36) NOT NULL, 
	id VARCHAR NOT NULL, 
	game_id VARCHAR(36) NOT NULL, 
	version_id VARCHAR(36), 
	device_id VARCHAR(36), 
	started DATETIME, 
	seconds INTEGER NOT NULL, 
	source VARCHAR, 
	CONSTRAINT pk_play_sessions PRIMARY KEY (user_id, id), 
	CONSTRAINT fk_play_sessions_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE, 
	CONSTRAINT fk_play_sessions_game_id FOREIGN KEY(game_id) REFERENCES games (id) ON DELETE CASCADE, 
	CONSTRAINT fk_play_sessions_version_id FOREIGN KEY(version_id) REFERENCES versions (id) ON DELETE SET NULL, 
	CONSTRAINT fk_play_sessions_device_id FOREIGN KEY(device_id) REFERENCES devices (id) ON DELETE SET NULL
);
CREATE TABLE play_records (
	user_id VARCHAR(36) NOT NULL, 
	game_id VARCHAR(36) NOT NULL, 
	status VARCHAR, 
	note VARCHAR NOT NULL, 
	changed DATETIME NOT NULL, 
	source VARCHAR, 
	CONSTRAINT pk_play_records PRIMARY KEY (user_id, game_id), 
	CONSTRAINT fk_play_records_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE, 
	CONSTRAINT fk_play_records_game_id FOREIGN KEY(game_id) REFERENCES games (id) ON DELETE CASCADE
);
CREATE TABLE save_slots (
	id VARCHAR(36) NOT NULL, 
	user_id VARCHAR(36) NOT NULL, 
	game_id VARCHAR(36) NOT NULL, 
	number INTEGER NOT NULL, 
	device_id VARCHAR(36), 
	created DATETIME NOT NULL, 
	CONSTRAINT pk_save_slots PRIMARY KEY (id), 
	CONSTRAINT fk_save_slots_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE, 
	CONSTRAINT fk_save_slots_game_id FOREIGN KEY(game_id) REFERENCES games (id) ON DELETE CASCADE, 
	CONSTRAINT fk_save_slots_device_id FOREIGN KEY(device_id) REFERENCES devices (id) ON DELETE SET NULL, 
	CONSTRAINT uq_save_slots_user_id_game_id_number UNIQUE (user_id, game_id, number)
);
CREATE TABLE saved_games (
	id VARCHAR(36) NOT NULL, 
	slot_id VARCHAR(36) NOT NULL, 
	position INTEGER NOT NULL, 
	aside BOOLEAN NOT NULL, 
	checksum VARCHAR NOT NULL, 
	size BIGINT NOT NULL, 
	device VARCHAR NOT NULL, 
	created DATETIME NOT NULL, 
	CONSTRAINT pk_saved_games PRIMARY KEY (id), 
	CONSTRAINT fk_saved_games_id FOREIGN KEY(id) REFERENCES objects (id) ON DELETE CASCADE, 
	CONSTRAINT fk_saved_games_slot_id FOREIGN KEY(slot_id) REFERENCES save_slots (id) ON DELETE CASCADE, 
	CONSTRAINT uq_saved_games_slot_id_position UNIQUE (slot_id, position)
);
CREATE TABLE import_parts (
	id INTEGER NOT NULL, 
	task_id VARCHAR(36) NOT NULL, 
	size BIGINT NOT NULL, 
	content BLOB NOT NULL, 
	reader_id VARCHAR, 
	reader_attempt INTEGER, 
	seen DATETIME, 
	complete BOOLEAN NOT NULL, 
	CONSTRAINT pk_import_parts PRIMARY KEY (id), 
	CONSTRAINT fk_import_parts_task_id FOREIGN KEY(task_id) REFERENCES tasks (id) ON DELETE CASCADE
);
INSERT INTO alembic_version ("version_num") VALUES ('0040');
INSERT INTO failed_attempts ("id", "key", "at") VALUES (1, 'user ada', '2026-01-02 03:04:05.000000');
INSERT INTO libraries ("id", "name", "backend", "options", "created", "rules") VALUES ('00000000-0000-4000-8000-000000000001', 'Games', 'Filesystem', '{"baseDir": "/games"}', '2026-01-02 03:04:05.000000', NULL);
INSERT INTO objects ("id", "media_type", "size", "etag", "reader", "created") VALUES ('00000000-0000-4000-8000-000000000006', 'image/webp', 10, 'e', 'user:read', '2026-01-02 03:04:05.000000');
INSERT INTO tasks ("id", "task_group", "queue", "name", "subject", "arguments", "acls", "created", "due", "worker_id", "leased_until", "attempt", "crashes", "retries", "cancelled", "progress", "started", "ended", "success", "error_title", "error_detail", "name_code", "name_parameters", "error_code", "error_parameters", "node") VALUES ('00000000-0000-4000-8000-000000000008', 'import:game', 'default', 'Import Portal', 'import Portal 2', '{"path": "Portal"}', '[]', '2026-01-02 03:04:05.000000', '2099-01-02 03:04:05.000000', NULL, NULL, 1, 0, 0, 0, 50.0, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO tasks ("id", "task_group", "queue", "name", "subject", "arguments", "acls", "created", "due", "worker_id", "leased_until", "attempt", "crashes", "retries", "cancelled", "progress", "started", "ended", "success", "error_title", "error_detail", "name_code", "name_parameters", "error_code", "error_parameters", "node") VALUES ('00000000-0000-4000-8000-000000000022', 'import:game', 'default', 'Import Portal', 'import Portal', '{"path": "Portal"}', '[]', '2026-01-02 03:04:05.000000', '2099-01-02 03:04:05.000000', NULL, NULL, 1, 0, 0, 0, 50.0, '2026-01-02 03:04:05.000000', '2026-01-02 03:04:05.000000', 0, 'Failed', 'It''s broken.', NULL, NULL, NULL, NULL, NULL);
INSERT INTO users ("id", "username", "normalized_name", "display_name", "email", "picture_id", "admin", "enabled", "created", "download_rate", "downloads_at_once") VALUES ('00000000-0000-4000-8000-000000000002', 'Ada', 'ada', 'Ada Lovelace', 'ada@example.org', '00000000-0000-4000-8000-000000000006', 1, 1, '2026-01-02 03:04:05.000000', NULL, NULL);
INSERT INTO games ("id", "library_id", "path", "name", "metadata_source", "metadata_id", "created", "sort_name", "short_description", "description", "released", "release_precision", "featured", "rating", "ratings", "age_ratings", "websites", "external_ids", "sources", "run_id", "updated", "refreshed", "layout") VALUES ('00000000-0000-4000-8000-000000000003', '00000000-0000-4000-8000-000000000001', 'Portal', 'Portal™', 'Steam', '400', '2026-01-02 03:04:05.000000', 'portal™', '', '', NULL, NULL, 0, NULL, '[]', '[]', '[]', '{}', '{}', NULL, '2026-01-02 03:04:05.000000', NULL, NULL);
INSERT INTO sign_in_methods ("id", "user_id", "kind", "subject", "secret") VALUES ('00000000-0000-4000-8000-000000000021', '00000000-0000-4000-8000-000000000002', 'Simple', NULL, '$argon2id$v=19$m=8,t=1,p=1$UDzu1GNWdXvgmbWCHQWAYg$F6N2HgEeJGutdcKgdxuUfxnypr64k4WrQadJRt9v8io');
INSERT INTO password_resets ("digest", "user_id", "expires") VALUES ('reset', '00000000-0000-4000-8000-000000000002', '2026-01-02 03:04:05.000000');
INSERT INTO sessions ("id", "user_id", "digest", "agent", "created", "seen", "expires", "authenticated", "replaced_until", "replaced_digest") VALUES ('00000000-0000-4000-8000-000000000009', '00000000-0000-4000-8000-000000000002', 'b43f195fb2477ef49eedaa13115b24b85bcdd08561e2fce1a70fc2aa010089c0', 'a browser', '2026-01-02 03:04:05.000000', '2099-01-02 03:04:05.000000', '2099-01-02 03:04:05.000000', NULL, NULL, NULL);
INSERT INTO task_log ("id", "task_id", "at", "level", "message", "code", "parameters") VALUES (1, '00000000-0000-4000-8000-000000000008', '2026-01-02 03:04:05.000000', 'info', 'It''s 50%; "done" ✓', NULL, NULL);
INSERT INTO import_checkpoints ("id", "game_id", "version_name", "at", "records") VALUES (1, '00000000-0000-4000-8000-000000000003', '1.2', '2026-01-02 03:04:05.000000', X'00FF7265636F726473');
INSERT INTO versions ("id", "game_id", "position", "name", "platform", "delta", "base_id", "only_setup", "launch", "launch_args", "setup", "setup_args", "compat_id", "size", "installed_size", "manifest_etag", "created", "revision", "damaged", "verified", "label", "beside") VALUES ('00000000-0000-4000-8000-000000000004', '00000000-0000-4000-8000-000000000003', 1, '1.0', 'Linux', 0, NULL, 0, 'bin/portal', '-novid', '', '', NULL, 5000000000, 6000000000, '1.0', '2026-01-02 03:04:05.000000', 0, NULL, NULL, NULL, 0);
INSERT INTO versions ("id", "game_id", "position", "name", "platform", "delta", "base_id", "only_setup", "launch", "launch_args", "setup", "setup_args", "compat_id", "size", "installed_size", "manifest_etag", "created", "revision", "damaged", "verified", "label", "beside") VALUES ('00000000-0000-4000-8000-000000000005', '00000000-0000-4000-8000-000000000003', 2, '1.1', 'Linux', 1, '00000000-0000-4000-8000-000000000004', 0, 'bin/portal', '-novid', '', '', NULL, 5000000000, 6000000000, '1.1', '2026-01-02 03:04:05.000000', 0, NULL, NULL, NULL, 0);
INSERT INTO companies ("id", "name", "normalized_name", "description", "website", "created") VALUES ('00000000-0000-4000-8000-000000000013', 'Valve', 'valve', 'd', '', '2026-01-02 03:04:05.000000');
INSERT INTO import_runs ("id", "task_id", "created", "undone", "automatic") VALUES ('00000000-0000-4000-8000-000000000007', '00000000-0000-4000-8000-000000000008', '2026-01-02 03:04:05.000000', NULL, NULL);
INSERT INTO provider_responses ("digest", "source_id", "body", "expires") VALUES ('d', 'Steam', X'7B7D', '2026-01-02 03:04:05.000000');
INSERT INTO provider_states ("source_id", "calls", "resting_until", "token", "token_expires") VALUES ('Steam', '[1.5]', NULL, NULL, NULL);
INSERT INTO tags ("id", "kind", "name", "normalized_name", "created") VALUES ('00000000-0000-4000-8000-000000000014', 'genre', 'Puzzle', 'puzzle', '2026-01-02 03:04:05.000000');
INSERT INTO collections ("id", "user_id", "name", "is_default", "created") VALUES ('00000000-0000-4000-8000-000000000024', '00000000-0000-4000-8000-000000000002', 'Library', 1, '2026-01-02 03:04:05.000000');
INSERT INTO import_run_rows ("id", "run_id", "position", "library_id", "path", "choice", "done", "game_id", "fault") VALUES (1, '00000000-0000-4000-8000-000000000007', 0, '00000000-0000-4000-8000-000000000001', 'Portal', '{}', '2026-01-02 03:04:05.000000', '00000000-0000-4000-8000-000000000003', NULL);
INSERT INTO plan_rows ("id", "library_id", "path", "title", "certain", "confidence", "source_id", "metadata_id", "clues", "candidates", "versions", "remark", "computed", "remark_code", "remark_parameters") VALUES ('00000000-0000-4000-8000-000000000025', '00000000-0000-4000-8000-000000000001', 'Half-Life', 'Half-Life', 0, 0.5, NULL, NULL, '[]', '[]', '[]', '', '2026-01-02 03:04:05.000000', NULL, NULL);
INSERT INTO collection_entries ("collection_id", "game_id", "added") VALUES ('00000000-0000-4000-8000-000000000024', '00000000-0000-4000-8000-000000000003', '2026-01-02 03:04:05.000000');
INSERT INTO game_companies ("game_id", "role", "company_id", "position") VALUES ('00000000-0000-4000-8000-000000000003', 'developer', '00000000-0000-4000-8000-000000000013', 0);
INSERT INTO game_tags ("game_id", "tag_id", "position") VALUES ('00000000-0000-4000-8000-000000000003', '00000000-0000-4000-8000-000000000014', 0);
INSERT INTO pictures ("id", "game_id", "source", "address", "credit", "renditions", "created", "placeholder", "colour") VALUES ('00000000-0000-4000-8000-000000000023', '00000000-0000-4000-8000-000000000003', 'Steam', '', '', '[]', '2026-01-02 03:04:05.000000', NULL, NULL);
INSERT INTO picture_uses ("game_id", "role", "position", "picture_id") VALUES ('00000000-0000-4000-8000-000000000003', 'carousel', 0, '00000000-0000-4000-8000-000000000023');
INSERT INTO openid_tests ("digest", "opened", "claims", "refusal", "expires") VALUES ('d', 0, NULL, NULL, '2026-01-02 03:04:05.000000');
INSERT INTO openid_flows ("state", "browser", "nonce", "verifier", "redirect", "session_id", "test", "expires", "recent") VALUES ('s', 'b', 'n', 'v', '/', '00000000-0000-4000-8000-000000000009', 'd', '2026-01-02 03:04:05.000000', 0);
INSERT INTO openid_sessions ("session_id", "id_token") VALUES ('00000000-0000-4000-8000-000000000009', 't');
INSERT INTO search_entries ("id", "game_id", "title", "labels", "version") VALUES (1, '00000000-0000-4000-8000-000000000003', 'portal', 'puzzle
valve', 1);
INSERT INTO search_index ("rowid", "title", "labels", "text", "grams") VALUES (1, 'portal', 'puzzle valve', '', '__p _po al_ ort por rta tal');
INSERT INTO device_requests ("id", "digest", "user_code", "name", "platform", "created", "expires", "polled", "pause", "user_id", "denied", "drop_mode", "approved", "capabilities") VALUES ('00000000-0000-4000-8000-000000000026', 'd', 'BCDF-GHJK', 'laptop', 'Linux', '2026-01-02 03:04:05.000000', '2026-01-02 03:04:05.000000', NULL, 5, '00000000-0000-4000-8000-000000000002', 0, NULL, NULL, NULL);
INSERT INTO devices ("id", "user_id", "digest", "name", "platform", "created", "seen", "certificate", "capabilities") VALUES ('00000000-0000-4000-8000-000000000011', '00000000-0000-4000-8000-000000000002', 'd', 'laptop', 'Linux', '2026-01-02 03:04:05.000000', '2026-01-02 03:04:05.000000', NULL, NULL);
INSERT INTO damages ("id", "version_id", "path", "fault", "found") VALUES (1, '00000000-0000-4000-8000-000000000004', 'bin/portal', 'missing', '2026-01-02 03:04:05.000000');
INSERT INTO download_links ("id", "user_id", "version_id", "digest", "target", "created", "expires", "bytes_left") VALUES ('00000000-0000-4000-8000-000000000012', '00000000-0000-4000-8000-000000000002', '00000000-0000-4000-8000-000000000004', 'd', 'content', '2026-01-02 03:04:05.000000', '2099-01-02 03:04:05.000000', 5000000000);
INSERT INTO patch_sets ("id", "version_id", "from_id", "version_etag", "from_etag", "size", "created", "used") VALUES ('00000000-0000-4000-8000-000000000027', '00000000-0000-4000-8000-000000000005', '00000000-0000-4000-8000-000000000004', '1.1', '1.0', 1, '2026-01-02 03:04:05.000000', '2026-01-02 03:04:05.000000');
INSERT INTO transfer_days ("id", "day", "user_id", "version_id", "bytes") VALUES ('00000000-0000-4000-8000-000000000028', '2026-01-02', '00000000-0000-4000-8000-000000000002', '00000000-0000-4000-8000-000000000004', 5000000000);
INSERT INTO cache_revisions ("id", "credentials", "content", "settings", "store") VALUES (1, 1, 0, 1, 0);
INSERT INTO tokens ("id", "user_id", "digest", "name", "acls", "created", "expires") VALUES ('00000000-0000-4000-8000-000000000010', '00000000-0000-4000-8000-000000000002', 'token', 'n', '["store:read"]', '2026-01-02 03:04:05.000000', '2027-11-28 11:13:23.471342');
INSERT INTO invitations ("id", "is_admin", "username", "email", "expires", "created") VALUES ('00000000-0000-4000-8000-000000000020', 0, NULL, NULL, '2099-01-02 03:04:05.000000', '2026-01-02 03:04:05.000000');
INSERT INTO server_profile ("id", "name", "greeting", "logo_id") VALUES ('server', 'The arcade', 'Welcome', NULL);
INSERT INTO device_installations ("device_id", "game_id", "version_id") VALUES ('00000000-0000-4000-8000-000000000011', '00000000-0000-4000-8000-000000000003', '00000000-0000-4000-8000-000000000004');
INSERT INTO queued_installations ("device_id", "game_id", "queued") VALUES ('00000000-0000-4000-8000-000000000011', '00000000-0000-4000-8000-000000000003', '2026-01-02 03:04:05.000000');
INSERT INTO nodes ("id", "name", "release", "started", "heartbeat", "demand") VALUES ('alpha:0123456789ab:17:abcdefgh', 'alpha', '0.1.0', '2026-01-02 03:04:05.000000', '2026-01-02 03:04:05.000000', '{"shares": {}}');
INSERT INTO audit_entries ("id", "at", "user_id", "username", "credential", "address", "operation", "permissions", "subject_id", "subject", "details", "request_id") VALUES (1, '2026-01-02 03:04:05.000000', '00000000-0000-4000-8000-000000000002', 'ada', 'session', '192.0.2.7', 'change_user', '["system:user:update"]', '00000000-0000-4000-8000-000000000002', 'ada', '{"enabled": true}', '00000000-0000-4000-8000-000000000030');
INSERT INTO stored_settings ("name", "value") VALUES ('download_rate', '5000000');
INSERT INTO disk_days ("day", "disk", "free") VALUES ('2026-01-02', 'data', 5000000000);
INSERT INTO drop_contexts ("id", "device_id", "version_id", "manifest_etag", "used") VALUES ('00000000-0000-4000-8000-000000000031', '00000000-0000-4000-8000-000000000011', '00000000-0000-4000-8000-000000000004', 'e', '2026-01-02 03:04:05.000000');
INSERT INTO events ("id", "event_type", "nonce", "data", "created", "batch", "announced", "dispatched", "position") VALUES (1, 'version.added', 'version.added:1', '{"game": "00000000-0000-4000-8000-000000000003", "gameName": "Portal", "version": "00000000-0000-4000-8000-000000000004", "versionName": "1.0", "platform": "Linux"}', '2026-01-02 03:04:05.000000', 'b', '2026-01-02 03:04:05.000000', '2026-01-02 03:04:05.000000', NULL);
INSERT INTO events ("id", "event_type", "nonce", "data", "created", "batch", "announced", "dispatched", "position") VALUES (2, 'disk.low', 'e', '{}', '2026-01-02 03:04:05.000000', NULL, NULL, NULL, 1);
INSERT INTO notifications ("id", "user_id", "nonce", "event_type", "title", "title_code", "title_parameters", "description", "description_code", "description_parameters", "link", "created", "read", "in_app") VALUES (1, '00000000-0000-4000-8000-000000000002', 'b:version.added', 'version.added', 'Portal 1.0 is available', 'version-available', '{"game": "Portal", "version": "1.0"}', '', NULL, '{}', '/games/00000000-0000-4000-8000-000000000003', '2026-01-02 03:04:05.000000', 0, 1);
INSERT INTO notification_preferences ("user_id", "preferences") VALUES ('00000000-0000-4000-8000-000000000002', '{"platforms": ["Linux"], "tags": ["00000000-0000-4000-8000-000000000014"], "muted": ["game.added"]}');
INSERT INTO found_versions ("id", "library_id", "path", "version", "fingerprint", "seen", "changed", "due", "decided", "task_id", "undone", "checked") VALUES ('00000000-0000-4000-8000-000000000090', '00000000-0000-4000-8000-000000000001', 'Portal', '1.0', '3 5000000000 1767323045000000000 1767323045000000000', '2026-01-02 03:04:05.000000', '2026-01-02 03:04:05.000000', NULL, '2026-01-02 03:04:05.000000', '00000000-0000-4000-8000-000000000008', NULL, NULL);
INSERT INTO game_requests ("id", "user_id", "key", "name", "year", "source_id", "metadata_id", "icon", "status", "comment", "library_id", "path", "game_id", "created", "answered") VALUES ('00000000-0000-4000-8000-000000000091', '00000000-0000-4000-8000-000000000002', 'Steam:620', 'Portal 2', 2011, 'Steam', '620', '', 'accepted', 'Soon.', '00000000-0000-4000-8000-000000000001', 'Portal 2', NULL, '2026-01-02 03:04:05.000000', '2026-01-02 03:04:05.000000');
INSERT INTO game_request_votes ("request_id", "user_id", "created") VALUES ('00000000-0000-4000-8000-000000000091', '00000000-0000-4000-8000-000000000002', '2026-01-02 03:04:05.000000');
INSERT INTO moved_rows ("server", "kind", "source_key", "target", "created") VALUES ('drop', 'game', '7', '00000000-0000-4000-8000-000000000003', '2026-01-02 03:04:05.000000');
INSERT INTO delivery_preferences ("user_id", "preferences", "verified_email", "verification_sent") VALUES ('00000000-0000-4000-8000-000000000002', '{"channels": {"email": []}, "quietFrom": "22:00", "quietUntil": "07:00", "digestAt": "", "timeZone": "Europe/Berlin", "language": "de"}', 'ada@example.org', '2026-01-02 03:04:05.000000');
INSERT INTO deliveries ("id", "notification_id", "user_id", "channel", "created", "due", "message", "attempts") VALUES (1, 1, '00000000-0000-4000-8000-000000000002', 'email', '2026-01-02 03:04:05.000000', '2026-01-02 03:04:05.000000', '00000000-0000-4000-8000-000000000092', 1);
INSERT INTO uploads ("id", "library_id", "user_id", "game", "version", "digest", "files", "size", "received", "created", "expires", "task_id", "placed") VALUES ('00000000-0000-4000-8000-000000000093', '00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002', 'Portal', '2.0', 'd', 3, 5000000000, 1, '2026-01-02 03:04:05.000000', '2026-01-02 03:04:05.000000', NULL, NULL);
INSERT INTO news_articles ("id", "title", "description", "content", "image_id", "author_id", "game_id", "version_id", "published", "changed") VALUES ('00000000-0000-4000-8000-000000000092', 'Game night', 'On Friday.', 'We play **Portal**.', NULL, '00000000-0000-4000-8000-000000000002', '00000000-0000-4000-8000-000000000003', NULL, '2026-01-02 03:04:05.000000', '2026-01-02 03:04:05.000000');
INSERT INTO news_feeds ("user_id", "digest", "created") VALUES ('00000000-0000-4000-8000-000000000002', 'feed', '2026-01-02 03:04:05.000000');
INSERT INTO webhooks ("id", "url", "secret", "event_types", "enabled", "created") VALUES ('00000000-0000-4000-8000-000000000094', 'https://hooks.example.org/', 's', '[]', 1, '2026-01-02 03:04:05.000000');
INSERT INTO webhook_deliveries ("id", "webhook_id", "event_type", "occurred", "data", "created", "attempts", "due", "delivered", "status", "error", "error_code", "error_parameters") VALUES ('00000000-0000-4000-8000-000000000095', '00000000-0000-4000-8000-000000000094', 'game.added', '2026-01-02 03:04:05.000000', '{}', '2026-01-02 03:04:05.000000', 1, NULL, '2026-01-02 03:04:05.000000', 204, NULL, NULL, '{}');
INSERT INTO file_changes ("id", "kind", "library_id", "game_id", "change", "switched", "created", "task_id") VALUES ('00000000-0000-4000-8000-000000000096', 'move-game', '00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000003', '{"paths": [{"source": "Portal", "target": "Portal 2"}], "targetLibrary": "00000000-0000-4000-8000-000000000001", "version": null, "item": ""}', 0, '2026-01-02 03:04:05.000000', '00000000-0000-4000-8000-000000000008');
INSERT INTO trash_items ("id", "library_id", "game_id", "version_id", "game_name", "version_name", "paths", "size", "record_names", "removal", "deleted") VALUES ('00000000-0000-4000-8000-000000000098', '00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000003', '00000000-0000-4000-8000-000000000097', 'Portal', '0.9', '["Portal/0.9"]', 5000000000, '["00000000-0000-4000-8000-000000000097"]', '{"removed": [{"table": "versions", "rows": [{"id": "00000000-0000-4000-8000-000000000097", "name": "0.9", "created": "2026-11-01T10:00:00+00:00"}]}], "cleared": []}', '2026-01-02 03:04:05.000000');
INSERT INTO push_subscriptions ("session_id", "user_id", "endpoint", "public_key", "auth_secret", "created", "delivered") VALUES ('00000000-0000-4000-8000-000000000009', '00000000-0000-4000-8000-000000000002', 'e', 'p', 'a', '2026-01-02 03:04:05.000000', NULL);
INSERT INTO play_sessions ("user_id", "id", "game_id", "version_id", "device_id", "started", "seconds", "source") VALUES ('00000000-0000-4000-8000-000000000002', 's1', '00000000-0000-4000-8000-000000000003', '00000000-0000-4000-8000-000000000004', '00000000-0000-4000-8000-000000000011', '2026-01-02 03:04:05.000000', 5400, NULL);
INSERT INTO play_records ("user_id", "game_id", "status", "note", "changed", "source") VALUES ('00000000-0000-4000-8000-000000000002', '00000000-0000-4000-8000-000000000003', 'playing', 'Save before the lab.', '2026-01-02 03:04:05.000000', NULL);
CREATE INDEX ix_password_resets_user_id ON password_resets (user_id);
CREATE INDEX ix_sessions_user_id ON sessions (user_id);
CREATE INDEX ix_import_checkpoints_game_id_version_name ON import_checkpoints (game_id, version_name);
CREATE INDEX ix_collections_user_id ON collections (user_id);
CREATE UNIQUE INDEX uq_collections_default ON collections (user_id) WHERE is_default;
CREATE INDEX ix_plan_rows_certain_path ON plan_rows (certain, path);
CREATE INDEX ix_plan_rows_source_id_metadata_id ON plan_rows (source_id, metadata_id);
CREATE INDEX ix_collection_entries_game_id ON collection_entries (game_id);
CREATE INDEX ix_game_tags_tag_id ON game_tags (tag_id);
CREATE INDEX ix_pictures_game_id ON pictures (game_id);
CREATE INDEX ix_picture_uses_picture_id ON picture_uses (picture_id);
CREATE INDEX ix_games_created_id ON games (created, id);
CREATE INDEX ix_games_rating_id ON games (rating, id);
CREATE INDEX ix_games_released_id ON games (released, id);
CREATE INDEX ix_games_sort_name_id ON games (sort_name, id);
CREATE INDEX ix_games_updated_id ON games (updated, id);
CREATE INDEX ix_games_run_id ON games (run_id);
CREATE INDEX ix_openid_flows_expires ON openid_flows (expires);
CREATE INDEX ix_openid_flows_session_id ON openid_flows (session_id);
CREATE INDEX ix_openid_flows_test ON openid_flows (test);
CREATE INDEX ix_games_featured_created_id ON games (featured, created, id);
CREATE INDEX ix_versions_game_id_platform ON versions (game_id, platform);
CREATE INDEX ix_game_companies_company_id_game_id ON game_companies (company_id, game_id);
CREATE TRIGGER search_entries_deleted AFTER DELETE ON search_entries BEGIN DELETE FROM search_index WHERE rowid = old.id; END;
CREATE INDEX ix_device_requests_expires ON device_requests (expires);
CREATE INDEX ix_devices_user_id ON devices (user_id);
CREATE INDEX ix_download_links_expires ON download_links (expires);
CREATE INDEX ix_download_links_user_id ON download_links (user_id);
CREATE INDEX ix_download_links_version_id ON download_links (version_id);
CREATE INDEX ix_patch_sets_from_id ON patch_sets (from_id);
CREATE INDEX ix_patch_sets_used ON patch_sets (used);
CREATE INDEX ix_transfer_days_user_id ON transfer_days (user_id);
CREATE INDEX ix_search_entries_version ON search_entries (version);
CREATE TRIGGER users_credentials_updated AFTER UPDATE ON users BEGIN UPDATE cache_revisions SET credentials = credentials + 1; END;
CREATE TRIGGER users_credentials_deleted AFTER DELETE ON users BEGIN UPDATE cache_revisions SET credentials = credentials + 1; END;
CREATE TRIGGER devices_credentials_updated AFTER UPDATE OF id, user_id, digest ON devices BEGIN UPDATE cache_revisions SET credentials = credentials + 1; END;
CREATE TRIGGER devices_credentials_deleted AFTER DELETE ON devices BEGIN UPDATE cache_revisions SET credentials = credentials + 1; END;
CREATE TRIGGER download_links_credentials_updated AFTER UPDATE OF id, user_id, version_id, digest, target, expires ON download_links BEGIN UPDATE cache_revisions SET credentials = credentials + 1; END;
CREATE TRIGGER download_links_credentials_deleted AFTER DELETE ON download_links BEGIN UPDATE cache_revisions SET credentials = credentials + 1; END;
CREATE TRIGGER libraries_content_updated AFTER UPDATE ON libraries BEGIN UPDATE cache_revisions SET content = content + 1; END;
CREATE TRIGGER libraries_content_deleted AFTER DELETE ON libraries BEGIN UPDATE cache_revisions SET content = content + 1; END;
CREATE TRIGGER games_content_updated AFTER UPDATE OF id, library_id, path, name ON games BEGIN UPDATE cache_revisions SET content = content + 1; END;
CREATE TRIGGER games_content_deleted AFTER DELETE ON games BEGIN UPDATE cache_revisions SET content = content + 1; END;
CREATE TRIGGER versions_content_updated AFTER UPDATE OF id, game_id, name, base_id, revision, manifest_etag ON versions BEGIN UPDATE cache_revisions SET content = content + 1; END;
CREATE TRIGGER versions_content_deleted AFTER DELETE ON versions BEGIN UPDATE cache_revisions SET content = content + 1; END;
CREATE INDEX ix_tasks_ended_queue_due ON tasks (ended, queue, due);
CREATE UNIQUE INDEX uq_tasks_active_subject ON tasks (subject) WHERE ended IS NULL;
CREATE INDEX ix_failed_attempts_key_at ON failed_attempts ("key", at);
CREATE INDEX ix_provider_responses_expires ON provider_responses (expires);
CREATE INDEX ix_task_log_task_id ON task_log (task_id);
CREATE INDEX ix_tokens_user_id ON tokens (user_id);
CREATE TRIGGER tokens_credentials_updated AFTER UPDATE ON tokens BEGIN UPDATE cache_revisions SET credentials = credentials + 1; END;
CREATE TRIGGER tokens_credentials_deleted AFTER DELETE ON tokens BEGIN UPDATE cache_revisions SET credentials = credentials + 1; END;
CREATE INDEX ix_versions_verified_id ON versions (verified, id);
CREATE INDEX ix_games_library_id_id ON games (library_id, id);
CREATE INDEX ix_versions_game_id_size ON versions (game_id, size);
CREATE INDEX ix_versions_damaged ON versions (damaged);
CREATE UNIQUE INDEX ix_sessions_replaced_digest ON sessions (replaced_digest);
CREATE TRIGGER sessions_credentials_updated AFTER UPDATE OF id, user_id, digest, replaced_digest, replaced_until, expires, authenticated ON sessions BEGIN UPDATE cache_revisions SET credentials = credentials + 1; END;
CREATE TRIGGER sessions_credentials_deleted AFTER DELETE ON sessions BEGIN UPDATE cache_revisions SET credentials = credentials + 1; END;
CREATE INDEX ix_device_installations_game_id ON device_installations (game_id);
CREATE INDEX ix_device_installations_version_id ON device_installations (version_id);
CREATE INDEX ix_queued_installations_game_id ON queued_installations (game_id);
CREATE INDEX ix_audit_entries_at ON audit_entries (at);
CREATE TRIGGER stored_settings_settings_inserted AFTER INSERT ON stored_settings BEGIN UPDATE cache_revisions SET settings = settings + 1; END;
CREATE TRIGGER stored_settings_settings_updated AFTER UPDATE ON stored_settings BEGIN UPDATE cache_revisions SET settings = settings + 1; END;
CREATE TRIGGER stored_settings_settings_deleted AFTER DELETE ON stored_settings BEGIN UPDATE cache_revisions SET settings = settings + 1; END;
CREATE INDEX ix_drop_contexts_device_id ON drop_contexts (device_id);
CREATE INDEX ix_drop_contexts_used ON drop_contexts (used);
CREATE INDEX ix_drop_contexts_version_id ON drop_contexts (version_id);
CREATE INDEX ix_events_announced ON events (announced);
CREATE INDEX ix_notifications_created ON notifications (created);
CREATE INDEX ix_found_versions_task_id ON found_versions (task_id);
CREATE INDEX ix_game_requests_user_id_status ON game_requests (user_id, status);
CREATE INDEX ix_game_requests_source_id_metadata_id ON game_requests (source_id, metadata_id);
CREATE INDEX ix_game_requests_library_id_path ON game_requests (library_id, path);
CREATE INDEX ix_game_requests_game_id ON game_requests (game_id);
CREATE INDEX ix_game_request_votes_user_id ON game_request_votes (user_id);
CREATE INDEX ix_deliveries_channel_due ON deliveries (channel, due);
CREATE INDEX ix_deliveries_user_id_channel ON deliveries (user_id, channel);
CREATE INDEX ix_deliveries_message ON deliveries (message);
CREATE INDEX ix_uploads_library_id ON uploads (library_id);
CREATE INDEX ix_news_articles_published_id ON news_articles (published, id);
CREATE INDEX ix_news_articles_game_id ON news_articles (game_id);
CREATE INDEX ix_events_dispatched ON events (dispatched);
CREATE INDEX ix_webhook_deliveries_due ON webhook_deliveries (due);
CREATE INDEX ix_webhook_deliveries_created ON webhook_deliveries (created);
CREATE INDEX ix_webhook_deliveries_webhook_id_created_id ON webhook_deliveries (webhook_id, created, id);
CREATE UNIQUE INDEX ix_events_position ON events (position);
CREATE INDEX ix_file_changes_library_id ON file_changes (library_id);
CREATE INDEX ix_trash_items_library_id ON trash_items (library_id);
CREATE INDEX ix_push_subscriptions_user_id ON push_subscriptions (user_id);
CREATE INDEX ix_play_sessions_user_id_game_id ON play_sessions (user_id, game_id);
CREATE INDEX ix_play_sessions_game_id ON play_sessions (game_id);
CREATE INDEX ix_play_sessions_version_id ON play_sessions (version_id);
CREATE INDEX ix_play_sessions_device_id ON play_sessions (device_id);
CREATE INDEX ix_play_records_game_id ON play_records (game_id);
CREATE INDEX ix_save_slots_device_id ON save_slots (device_id);
CREATE INDEX ix_save_slots_game_id ON save_slots (game_id);
CREATE INDEX ix_import_parts_task_id_id ON import_parts (task_id, id);
CREATE TRIGGER games_store_insert AFTER INSERT ON games BEGIN UPDATE cache_revisions SET store = store + 1; END;
CREATE TRIGGER games_store_delete AFTER DELETE ON games BEGIN UPDATE cache_revisions SET store = store + 1; END;
CREATE TRIGGER versions_store_insert AFTER INSERT ON versions BEGIN UPDATE cache_revisions SET store = store + 1; END;
CREATE TRIGGER versions_store_update AFTER UPDATE OF game_id, platform ON versions BEGIN UPDATE cache_revisions SET store = store + 1; END;
CREATE TRIGGER versions_store_delete AFTER DELETE ON versions BEGIN UPDATE cache_revisions SET store = store + 1; END;
CREATE TRIGGER game_tags_store_insert AFTER INSERT ON game_tags BEGIN UPDATE cache_revisions SET store = store + 1; END;
CREATE TRIGGER game_tags_store_update AFTER UPDATE ON game_tags BEGIN UPDATE cache_revisions SET store = store + 1; END;
CREATE TRIGGER game_tags_store_delete AFTER DELETE ON game_tags BEGIN UPDATE cache_revisions SET store = store + 1; END;
CREATE TRIGGER game_companies_store_insert AFTER INSERT ON game_companies BEGIN UPDATE cache_revisions SET store = store + 1; END;
CREATE TRIGGER game_companies_store_update AFTER UPDATE ON game_companies BEGIN UPDATE cache_revisions SET store = store + 1; END;
CREATE TRIGGER game_companies_store_delete AFTER DELETE ON game_companies BEGIN UPDATE cache_revisions SET store = store + 1; END;
CREATE TRIGGER tags_store_update AFTER UPDATE ON tags BEGIN UPDATE cache_revisions SET store = store + 1; END;
CREATE TRIGGER tags_store_delete AFTER DELETE ON tags BEGIN UPDATE cache_revisions SET store = store + 1; END;
CREATE TRIGGER companies_store_update AFTER UPDATE ON companies BEGIN UPDATE cache_revisions SET store = store + 1; END;
CREATE TRIGGER companies_store_delete AFTER DELETE ON companies BEGIN UPDATE cache_revisions SET store = store + 1; END;
CREATE INDEX ix_versions_beside_name ON versions (beside, name);
