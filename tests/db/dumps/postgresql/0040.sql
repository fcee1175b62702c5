SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;
CREATE FUNCTION public.content_changed() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN UPDATE cache_revisions SET content = txid_current() WHERE content <> txid_current(); RETURN NULL; END $$;
CREATE FUNCTION public.credentials_changed() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN UPDATE cache_revisions SET credentials = txid_current() WHERE credentials <> txid_current(); RETURN NULL; END $$;
CREATE FUNCTION public.settings_changed() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN UPDATE cache_revisions SET settings = txid_current() WHERE settings <> txid_current(); RETURN NULL; END $$;
CREATE FUNCTION public.store_changed() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN UPDATE cache_revisions SET store = txid_current() WHERE store <> txid_current(); RETURN NULL; END $$;
SET default_tablespace = '';
SET default_table_access_method = heap;
CREATE TABLE public.alembic_version (
    version_num character varying(32) NOT NULL
);
CREATE TABLE public.audit_entries (
    id integer NOT NULL,
    at timestamp with time zone NOT NULL,
    user_id character varying NOT NULL,
    username character varying NOT NULL,
    credential character varying NOT NULL,
    address character varying NOT NULL,
    operation character varying NOT NULL,
    permissions json NOT NULL,
    subject_id character varying NOT NULL,
    subject character varying NOT NULL,
    details json NOT NULL,
    request_id character varying NOT NULL
);
CREATE SEQUENCE public.audit_entries_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.audit_entries_id_seq OWNED BY public.audit_entries.id;
CREATE TABLE public.cache_revisions (
    id integer NOT NULL,
    credentials bigint NOT NULL,
    content bigint NOT NULL,
    settings bigint DEFAULT '0'::bigint NOT NULL,
    store bigint DEFAULT '0'::bigint NOT NULL
);
CREATE SEQUENCE public.cache_revisions_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.cache_revisions_id_seq OWNED BY public.cache_revisions.id;
CREATE TABLE public.collection_entries (
    collection_id character varying(36) NOT NULL,
    game_id character varying(36) NOT NULL,
    added timestamp with time zone NOT NULL
);
CREATE TABLE public.collections (
    id character varying(36) NOT NULL,
    user_id character varying(36) NOT NULL,
    name character varying NOT NULL,
    is_default boolean NOT NULL,
    created timestamp with time zone NOT NULL
);
CREATE TABLE public.companies (
    id character varying(36) NOT NULL,
    name character varying NOT NULL,
    normalized_name character varying NOT NULL,
    description character varying NOT NULL,
    website character varying NOT NULL,
    created timestamp with time zone NOT NULL
);
CREATE TABLE public.damages (
    id integer NOT NULL,
    version_id character varying(36) NOT NULL,
    path character varying NOT NULL,
    fault character varying NOT NULL,
    found timestamp with time zone NOT NULL
);
CREATE SEQUENCE public.damages_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.damages_id_seq OWNED BY public.damages.id;
CREATE TABLE public.deliveries (
    id integer NOT NULL,
    notification_id integer NOT NULL,
    user_id character varying(36) NOT NULL,
    channel character varying NOT NULL,
    created timestamp with time zone NOT NULL,
    due timestamp with time zone NOT NULL,
    message character varying,
    attempts integer NOT NULL
);
CREATE SEQUENCE public.deliveries_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.deliveries_id_seq OWNED BY public.deliveries.id;
CREATE TABLE public.delivery_preferences (
    user_id character varying(36) NOT NULL,
    preferences json NOT NULL,
    verified_email character varying,
    verification_sent timestamp with time zone
);
CREATE TABLE public.device_installations (
    device_id character varying(36) NOT NULL,
    game_id character varying(36) NOT NULL,
    version_id character varying(36)
);
CREATE TABLE public.device_requests (
    id character varying(36) NOT NULL,
    digest character varying NOT NULL,
    user_code character varying NOT NULL,
    name character varying NOT NULL,
    platform character varying NOT NULL,
    created timestamp with time zone NOT NULL,
    expires timestamp with time zone NOT NULL,
    polled timestamp with time zone,
    pause integer NOT NULL,
    user_id character varying(36),
    denied boolean NOT NULL,
    drop_mode character varying,
    approved timestamp with time zone,
    capabilities character varying
);
CREATE TABLE public.devices (
    id character varying(36) NOT NULL,
    user_id character varying(36) NOT NULL,
    digest character varying NOT NULL,
    name character varying NOT NULL,
    platform character varying NOT NULL,
    created timestamp with time zone NOT NULL,
    seen timestamp with time zone NOT NULL,
    certificate character varying,
    capabilities character varying
);
CREATE TABLE public.disk_days (
    day date NOT NULL,
    disk character varying(36) NOT NULL,
    free bigint NOT NULL
);
CREATE TABLE public.download_links (
    id character varying(36) NOT NULL,
    user_id character varying(36) NOT NULL,
    version_id character varying(36) NOT NULL,
    digest character varying NOT NULL,
    target character varying NOT NULL,
    created timestamp with time zone NOT NULL,
    expires timestamp with time zone NOT NULL,
    bytes_left bigint
);
CREATE TABLE public.drop_contexts (
    id character varying(36) NOT NULL,
    device_id character varying(36) NOT NULL,
    version_id character varying(36) NOT NULL,
    manifest_etag character varying NOT NULL,
    used timestamp with time zone NOT NULL
);
CREATE TABLE public.events (
    id integer NOT NULL,
    event_type character varying NOT NULL,
    nonce character varying NOT NULL,
    data json NOT NULL,
    created timestamp with time zone NOT NULL,
    batch character varying,
    announced timestamp with time zone,
    dispatched timestamp with time zone,
    "position" integer
);
CREATE SEQUENCE public.events_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.events_id_seq OWNED BY public.events.id;
CREATE TABLE public.failed_attempts (
    id integer NOT NULL,
    key character varying NOT NULL,
    at timestamp with time zone NOT NULL
);
CREATE SEQUENCE public.failed_attempts_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.failed_attempts_id_seq OWNED BY public.failed_attempts.id;
CREATE TABLE public.file_changes (
    id character varying(36) NOT NULL,
    kind character varying NOT NULL,
    library_id character varying(36) NOT NULL,
    game_id character varying NOT NULL,
    change json NOT NULL,
    switched boolean NOT NULL,
    created timestamp with time zone NOT NULL,
    task_id character varying NOT NULL
);
CREATE TABLE public.found_versions (
    id character varying(36) NOT NULL,
    library_id character varying(36) NOT NULL,
    path character varying NOT NULL,
    version character varying NOT NULL,
    fingerprint character varying NOT NULL,
    seen timestamp with time zone NOT NULL,
    changed timestamp with time zone NOT NULL,
    due timestamp with time zone,
    decided timestamp with time zone,
    task_id character varying,
    undone timestamp with time zone,
    checked timestamp with time zone
);
CREATE TABLE public.game_companies (
    game_id character varying(36) NOT NULL,
    role character varying NOT NULL,
    company_id character varying(36) NOT NULL,
    "position" integer NOT NULL
);
CREATE TABLE public.game_request_votes (
    request_id character varying(36) NOT NULL,
    user_id character varying(36) NOT NULL,
    created timestamp with time zone NOT NULL
);
CREATE TABLE public.game_requests (
    id character varying(36) NOT NULL,
    user_id character varying(36),
    key character varying,
    name character varying NOT NULL,
    year integer NOT NULL,
    source_id character varying,
    metadata_id character varying,
    icon character varying NOT NULL,
    status character varying NOT NULL,
    comment character varying NOT NULL,
    library_id character varying(36),
    path character varying,
    game_id character varying(36),
    created timestamp with time zone NOT NULL,
    answered timestamp with time zone
);
CREATE TABLE public.game_tags (
    game_id character varying(36) NOT NULL,
    tag_id character varying(36) NOT NULL,
    "position" integer NOT NULL
);
CREATE TABLE public.games (
    id character varying(36) NOT NULL,
    library_id character varying(36) NOT NULL,
    path character varying NOT NULL,
    name character varying NOT NULL,
    metadata_source character varying NOT NULL,
    metadata_id character varying NOT NULL,
    created timestamp with time zone NOT NULL,
    sort_name character varying DEFAULT ''::character varying NOT NULL,
    short_description character varying DEFAULT ''::character varying NOT NULL,
    description character varying DEFAULT ''::character varying NOT NULL,
    released date,
    release_precision character varying,
    featured boolean DEFAULT false NOT NULL,
    rating double precision,
    ratings json DEFAULT '[]'::json NOT NULL,
    age_ratings json DEFAULT '[]'::json NOT NULL,
    websites json DEFAULT '[]'::json NOT NULL,
    external_ids json DEFAULT '{}'::json NOT NULL,
    sources json DEFAULT '{}'::json NOT NULL,
    run_id character varying,
    updated timestamp with time zone,
    refreshed timestamp with time zone,
    layout character varying
);
CREATE TABLE public.import_checkpoints (
    id integer NOT NULL,
    game_id character varying(36) NOT NULL,
    version_name character varying NOT NULL,
    at timestamp with time zone NOT NULL,
    records bytea NOT NULL
);
CREATE SEQUENCE public.import_checkpoints_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.import_checkpoints_id_seq OWNED BY public.import_checkpoints.id;
CREATE TABLE public.import_parts (
    id integer NOT NULL,
    task_id character varying(36) NOT NULL,
    size bigint NOT NULL,
    content bytea NOT NULL,
    reader_id character varying,
    reader_attempt integer,
    seen timestamp with time zone,
    complete boolean NOT NULL
);
CREATE SEQUENCE public.import_parts_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.import_parts_id_seq OWNED BY public.import_parts.id;
CREATE TABLE public.import_run_rows (
    id integer NOT NULL,
    run_id character varying(36) NOT NULL,
    "position" integer NOT NULL,
    library_id character varying NOT NULL,
    path character varying NOT NULL,
    choice json NOT NULL,
    done timestamp with time zone,
    game_id character varying,
    fault character varying
);
CREATE SEQUENCE public.import_run_rows_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.import_run_rows_id_seq OWNED BY public.import_run_rows.id;
CREATE TABLE public.import_runs (
    id character varying(36) NOT NULL,
    task_id character varying,
    created timestamp with time zone NOT NULL,
    undone timestamp with time zone,
    automatic boolean
);
CREATE TABLE public.invitations (
    id character varying NOT NULL,
    is_admin boolean NOT NULL,
    username character varying,
    email character varying,
    expires timestamp with time zone NOT NULL,
    created timestamp with time zone NOT NULL
);
CREATE TABLE public.libraries (
    id character varying(36) NOT NULL,
    name character varying NOT NULL,
    backend character varying NOT NULL,
    options json NOT NULL,
    created timestamp with time zone NOT NULL,
    rules json
);
CREATE TABLE public.moved_rows (
    server character varying NOT NULL,
    kind character varying NOT NULL,
    source_key character varying NOT NULL,
    target character varying NOT NULL,
    created timestamp with time zone NOT NULL
);
CREATE TABLE public.news_articles (
    id character varying(36) NOT NULL,
    title character varying NOT NULL,
    description character varying NOT NULL,
    content character varying NOT NULL,
    image_id character varying,
    author_id character varying(36),
    game_id character varying(36),
    version_id character varying(36),
    published timestamp with time zone NOT NULL,
    changed timestamp with time zone NOT NULL
);
CREATE TABLE public.news_feeds (
    user_id character varying(36) NOT NULL,
    digest character varying NOT NULL,
    created timestamp with time zone NOT NULL
);
CREATE TABLE public.nodes (
    id character varying NOT NULL,
    name character varying NOT NULL,
    release character varying NOT NULL,
    started timestamp with time zone NOT NULL,
    heartbeat timestamp with time zone NOT NULL,
    demand json
);
CREATE TABLE public.notification_preferences (
    user_id character varying(36) NOT NULL,
    preferences json NOT NULL
);
CREATE TABLE public.notifications (
    id integer NOT NULL,
    user_id character varying(36) NOT NULL,
    nonce character varying NOT NULL,
    event_type character varying NOT NULL,
    title character varying NOT NULL,
    title_code character varying NOT NULL,
    title_parameters json NOT NULL,
    description character varying NOT NULL,
    description_code character varying,
    description_parameters json NOT NULL,
    link character varying NOT NULL,
    created timestamp with time zone NOT NULL,
    read boolean NOT NULL,
    in_app boolean DEFAULT true NOT NULL
);
CREATE SEQUENCE public.notifications_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.notifications_id_seq OWNED BY public.notifications.id;
CREATE TABLE public.objects (
    id character varying(36) NOT NULL,
    media_type character varying NOT NULL,
    size integer NOT NULL,
    etag character varying NOT NULL,
    reader character varying NOT NULL,
    created timestamp with time zone NOT NULL
);
CREATE TABLE public.openid_flows (
    state character varying NOT NULL,
    browser character varying NOT NULL,
    nonce character varying NOT NULL,
    verifier character varying NOT NULL,
    redirect character varying NOT NULL,
    session_id character varying(36),
    test character varying,
    expires timestamp with time zone NOT NULL,
    recent boolean DEFAULT false NOT NULL
);
CREATE TABLE public.openid_sessions (
    session_id character varying(36) NOT NULL,
    id_token character varying NOT NULL
);
CREATE TABLE public.openid_tests (
    digest character varying NOT NULL,
    opened boolean NOT NULL,
    claims character varying,
    refusal character varying,
    expires timestamp with time zone NOT NULL
);
CREATE TABLE public.password_resets (
    digest character varying NOT NULL,
    user_id character varying(36) NOT NULL,
    expires timestamp with time zone NOT NULL
);
CREATE TABLE public.patch_sets (
    id character varying(36) NOT NULL,
    version_id character varying(36) NOT NULL,
    from_id character varying(36) NOT NULL,
    version_etag character varying NOT NULL,
    from_etag character varying NOT NULL,
    size bigint NOT NULL,
    created timestamp with time zone NOT NULL,
    used timestamp with time zone NOT NULL
);
CREATE TABLE public.picture_uses (
    game_id character varying(36) NOT NULL,
    role character varying NOT NULL,
    "position" integer NOT NULL,
    picture_id character varying(36) NOT NULL
);
CREATE TABLE public.pictures (
    id character varying(36) NOT NULL,
    game_id character varying(36) NOT NULL,
    source character varying NOT NULL,
    address character varying NOT NULL,
    credit character varying NOT NULL,
    renditions json NOT NULL,
    created timestamp with time zone NOT NULL,
    placeholder character varying,
    colour character varying
);
CREATE TABLE public.plan_rows (
    id character varying(36) NOT NULL,
    library_id character varying(36) NOT NULL,
    path character varying NOT NULL,
    title character varying NOT NULL,
    certain boolean NOT NULL,
    confidence double precision NOT NULL,
    source_id character varying,
    metadata_id character varying,
    clues json NOT NULL,
    candidates json NOT NULL,
    versions json NOT NULL,
    remark character varying NOT NULL,
    computed timestamp with time zone NOT NULL,
    remark_code character varying,
    remark_parameters json
);
CREATE TABLE public.play_records (
    user_id character varying(36) NOT NULL,
    game_id character varying(36) NOT NULL,
    status character varying,
    note character varying NOT NULL,
    changed timestamp with time zone NOT NULL,
    source character varying
);
CREATE TABLE public.play_sessions (
    user_id character varying(36) NOT NULL,
    id character varying NOT NULL,
    game_id character varying(36) NOT NULL,
    version_id character varying(36),
    device_id character varying(36),
    started timestamp with time zone,
    seconds integer NOT NULL,
    source character varying
);
CREATE TABLE public.provider_responses (
    digest character varying NOT NULL,
    source_id character varying NOT NULL,
    body bytea NOT NULL,
    expires timestamp with time zone NOT NULL
);
CREATE TABLE public.provider_states (
    source_id character varying NOT NULL,
    calls json NOT NULL,
    resting_until timestamp with time zone,
    token character varying,
    token_expires timestamp with time zone
);
CREATE TABLE public.push_subscriptions (
    session_id character varying(36) NOT NULL,
    user_id character varying(36) NOT NULL,
    endpoint character varying NOT NULL,
    public_key character varying NOT NULL,
    auth_secret character varying NOT NULL,
    created timestamp with time zone NOT NULL,
    delivered character varying
);
CREATE TABLE public.queued_installations (
    device_id character varying(36) NOT NULL,
    game_id character varying(36) NOT NULL,
    queued timestamp with time zone NOT NULL
);
CREATE TABLE public.save_slots (
    id character varying(36) NOT NULL,
    user_id character varying(36) NOT NULL,
    game_id character varying(36) NOT NULL,
    number integer NOT NULL,
    device_id character varying(36),
    created timestamp with time zone NOT NULL
);
CREATE TABLE public.saved_games (
    id character varying(36) NOT NULL,
    slot_id character varying(36) NOT NULL,
    "position" integer NOT NULL,
    aside boolean NOT NULL,
    checksum character varying NOT NULL,
    size bigint NOT NULL,
    device character varying NOT NULL,
    created timestamp with time zone NOT NULL
);
CREATE TABLE public.schema_upgrades (
    revision character varying NOT NULL,
    release character varying NOT NULL,
    at timestamp with time zone NOT NULL
);
CREATE TABLE public.search_entries (
    id integer NOT NULL,
    game_id character varying(36) NOT NULL,
    title character varying NOT NULL,
    labels character varying NOT NULL,
    version integer DEFAULT 1 NOT NULL
);
CREATE SEQUENCE public.search_entries_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.search_entries_id_seq OWNED BY public.search_entries.id;
CREATE TABLE public.search_index (
    id integer NOT NULL,
    names tsvector NOT NULL,
    words tsvector NOT NULL,
    grams tsvector NOT NULL
)
WITH (toast_tuple_target='1024');
CREATE TABLE public.server_profile (
    id character varying(36) NOT NULL,
    name character varying NOT NULL,
    greeting character varying NOT NULL,
    logo_id character varying
);
CREATE TABLE public.sessions (
    id character varying(36) NOT NULL,
    user_id character varying(36) NOT NULL,
    digest character varying NOT NULL,
    agent character varying NOT NULL,
    created timestamp with time zone NOT NULL,
    seen timestamp with time zone NOT NULL,
    expires timestamp with time zone NOT NULL,
    authenticated timestamp with time zone,
    replaced_until timestamp with time zone,
    replaced_digest character varying
);
CREATE TABLE public.sign_in_methods (
    id character varying(36) NOT NULL,
    user_id character varying(36) NOT NULL,
    kind character varying NOT NULL,
    subject character varying,
    secret character varying
);
CREATE TABLE public.stored_settings (
    name character varying NOT NULL,
    value character varying NOT NULL
);
CREATE TABLE public.tags (
    id character varying(36) NOT NULL,
    kind character varying NOT NULL,
    name character varying NOT NULL,
    normalized_name character varying NOT NULL,
    created timestamp with time zone NOT NULL
);
CREATE TABLE public.task_log (
    id integer NOT NULL,
    task_id character varying(36) NOT NULL,
    at timestamp with time zone NOT NULL,
    level character varying NOT NULL,
    message character varying NOT NULL,
    code character varying,
    parameters json
);
CREATE SEQUENCE public.task_log_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.task_log_id_seq OWNED BY public.task_log.id;
CREATE TABLE public.tasks (
    id character varying(36) NOT NULL,
    task_group character varying NOT NULL,
    queue character varying NOT NULL,
    name character varying NOT NULL,
    subject character varying NOT NULL,
    arguments json NOT NULL,
    acls json NOT NULL,
    created timestamp with time zone NOT NULL,
    due timestamp with time zone NOT NULL,
    worker_id character varying,
    leased_until timestamp with time zone,
    attempt integer NOT NULL,
    crashes integer NOT NULL,
    retries integer NOT NULL,
    cancelled boolean NOT NULL,
    progress double precision NOT NULL,
    started timestamp with time zone,
    ended timestamp with time zone,
    success boolean NOT NULL,
    error_title character varying,
    error_detail character varying,
    name_code character varying,
    name_parameters json,
    error_code character varying,
    error_parameters json,
    node character varying
);
CREATE TABLE public.tokens (
    id character varying(36) NOT NULL,
    user_id character varying(36) NOT NULL,
    digest character varying NOT NULL,
    name character varying NOT NULL,
    acls json NOT NULL,
    created timestamp with time zone NOT NULL,
    expires timestamp with time zone NOT NULL
);
CREATE TABLE public.transfer_days (
    id character varying(36) NOT NULL,
    day date NOT NULL,
    user_id character varying(36),
    version_id character varying(36) NOT NULL,
    bytes bigint NOT NULL
);
CREATE TABLE public.trash_items (
    id character varying(36) NOT NULL,
    library_id character varying(36) NOT NULL,
    game_id character varying NOT NULL,
    version_id character varying,
    game_name character varying NOT NULL,
    version_name character varying,
    paths json NOT NULL,
    size bigint NOT NULL,
    record_names json NOT NULL,
    removal json NOT NULL,
    deleted timestamp with time zone NOT NULL
);
CREATE TABLE public.uploads (
    id character varying(36) NOT NULL,
    library_id character varying(36) NOT NULL,
    user_id character varying(36),
    game character varying NOT NULL,
    version character varying NOT NULL,
    digest character varying NOT NULL,
    files integer NOT NULL,
    size bigint NOT NULL,
    received bigint NOT NULL,
    created timestamp with time zone NOT NULL,
    expires timestamp with time zone NOT NULL,
    task_id character varying,
    placed timestamp with time zone
);
CREATE TABLE public.users (
    id character varying(36) NOT NULL,
    username character varying NOT NULL,
    normalized_name character varying NOT NULL,
    display_name character varying NOT NULL,
    email character varying NOT NULL,
    picture_id character varying NOT NULL,
    admin boolean NOT NULL,
    enabled boolean NOT NULL,
    created timestamp with time zone NOT NULL,
    download_rate bigint,
    downloads_at_once integer
);
CREATE TABLE public.versions (
    id character varying(36) NOT NULL,
    game_id character varying(36) NOT NULL,
    "position" integer NOT NULL,
    name character varying NOT NULL,
    platform character varying NOT NULL,
    delta boolean NOT NULL,
    base_id character varying(36),
    only_setup boolean NOT NULL,
    launch character varying NOT NULL,
    launch_args character varying NOT NULL,
    setup character varying NOT NULL,
    setup_args character varying NOT NULL,
    compat_id character varying,
    size bigint NOT NULL,
    installed_size bigint NOT NULL,
    manifest_etag character varying NOT NULL,
    created timestamp with time zone NOT NULL,
    revision integer DEFAULT 0 NOT NULL,
    damaged timestamp with time zone,
    verified timestamp with time zone,
    label character varying,
    beside boolean DEFAULT false NOT NULL
);
CREATE TABLE public.webhook_deliveries (
    id character varying(36) NOT NULL,
    webhook_id character varying(36) NOT NULL,
    event_type character varying NOT NULL,
    occurred timestamp with time zone NOT NULL,
    data json NOT NULL,
    created timestamp with time zone NOT NULL,
    attempts integer NOT NULL,
    due timestamp with time zone,
    delivered timestamp with time zone,
    status integer,
    error character varying,
    error_code character varying,
    error_parameters json NOT NULL
);
CREATE TABLE public.webhooks (
    id character varying(36) NOT NULL,
    url character varying NOT NULL,
    secret character varying NOT NULL,
    event_types json NOT NULL,
    enabled boolean NOT NULL,
    created timestamp with time zone NOT NULL
);
ALTER TABLE ONLY public.audit_entries ALTER COLUMN id SET DEFAULT nextval('public.audit_entries_id_seq'::regclass);
ALTER TABLE ONLY public.cache_revisions ALTER COLUMN id SET DEFAULT nextval('public.cache_revisions_id_seq'::regclass);
ALTER TABLE ONLY public.damages ALTER COLUMN id SET DEFAULT nextval('public.damages_id_seq'::regclass);
ALTER TABLE ONLY public.deliveries ALTER COLUMN id SET DEFAULT nextval('public.deliveries_id_seq'::regclass);
ALTER TABLE ONLY public.events ALTER COLUMN id SET DEFAULT nextval('public.events_id_seq'::regclass);
ALTER TABLE ONLY public.failed_attempts ALTER COLUMN id SET DEFAULT nextval('public.failed_attempts_id_seq'::regclass);
ALTER TABLE ONLY public.import_checkpoints ALTER COLUMN id SET DEFAULT nextval('public.import_checkpoints_id_seq'::regclass);
ALTER TABLE ONLY public.import_parts ALTER COLUMN id SET DEFAULT nextval('public.import_parts_id_seq'::regclass);
ALTER TABLE ONLY public.import_run_rows ALTER COLUMN id SET DEFAULT nextval('public.import_run_rows_id_seq'::regclass);
ALTER TABLE ONLY public.notifications ALTER COLUMN id SET DEFAULT nextval('public.notifications_id_seq'::regclass);
ALTER TABLE ONLY public.search_entries ALTER COLUMN id SET DEFAULT nextval('public.search_entries_id_seq'::regclass);
ALTER TABLE ONLY public.task_log ALTER COLUMN id SET DEFAULT nextval('public.task_log_id_seq'::regclass);
INSERT INTO public.alembic_version VALUES ('0040');
INSERT INTO public.audit_entries VALUES (1, '2026-01-02 03:04:05+00', '00000000-0000-4000-8000-000000000002', 'ada', 'session', '192.0.2.7', 'change_user', '["system:user:update"]', '00000000-0000-4000-8000-000000000002', 'ada', '{"enabled": true}', '00000000-0000-4000-8000-000000000030');
INSERT INTO public.cache_revisions VALUES (1, 736, 0, 744, 0);
INSERT INTO public.collection_entries VALUES ('00000000-0000-4000-8000-000000000024', '00000000-0000-4000-8000-000000000003', '2026-01-02 03:04:05+00');
INSERT INTO public.collections VALUES ('00000000-0000-4000-8000-000000000024', '00000000-0000-4000-8000-000000000002', 'Library', true, '2026-01-02 03:04:05+00');
INSERT INTO public.companies VALUES ('00000000-0000-4000-8000-000000000013', 'Valve', 'valve', 'd', '', '2026-01-02 03:04:05+00');
INSERT INTO public.damages VALUES (1, '00000000-0000-4000-8000-000000000004', 'bin/portal', 'missing', '2026-01-02 03:04:05+00');
INSERT INTO public.deliveries VALUES (1, 1, '00000000-0000-4000-8000-000000000002', 'email', '2026-01-02 03:04:05+00', '2026-01-02 03:04:05+00', '00000000-0000-4000-8000-000000000092', 1);
INSERT INTO public.delivery_preferences VALUES ('00000000-0000-4000-8000-000000000002', '{"channels": {"email": []}, "quietFrom": "22:00", "quietUntil": "07:00", "digestAt": "", "timeZone": "Europe/Berlin", "language": "de"}', 'ada@example.org', '2026-01-02 03:04:05+00');
INSERT INTO public.device_installations VALUES ('00000000-0000-4000-8000-000000000011', '00000000-0000-4000-8000-000000000003', '00000000-0000-4000-8000-000000000004');
INSERT INTO public.device_requests VALUES ('00000000-0000-4000-8000-000000000026', 'd', 'BCDF-GHJK', 'laptop', 'Linux', '2026-01-02 03:04:05+00', '2026-01-02 03:04:05+00', NULL, 5, '00000000-0000-4000-8000-000000000002', false, NULL, NULL, NULL);
INSERT INTO public.devices VALUES ('00000000-0000-4000-8000-000000000011', '00000000-0000-4000-8000-000000000002', 'd', 'laptop', 'Linux', '2026-01-02 03:04:05+00', '2026-01-02 03:04:05+00', NULL, NULL);
INSERT INTO public.disk_days VALUES ('2026-01-02', 'data', 5000000000);
INSERT INTO public.download_links VALUES ('00000000-0000-4000-8000-000000000012', '00000000-0000-4000-8000-000000000002', '00000000-0000-4000-8000-000000000004', 'd', 'content', '2026-01-02 03:04:05+00', '2099-01-02 03:04:05+00', 5000000000);
INSERT INTO public.drop_contexts VALUES ('00000000-0000-4000-8000-000000000031', '00000000-0000-4000-8000-000000000011', '00000000-0000-4000-8000-000000000004', 'e', '2026-01-02 03:04:05+00');
INSERT INTO public.events VALUES (1, 'version.added', 'version.added:1', '{"game": "00000000-0000-4000-8000-000000000003", "gameName": "Portal", "version": "00000000-0000-4000-8000-000000000004", "versionName": "1.0", "platform": "Linux"}', '2026-01-02 03:04:05+00', 'b', '2026-01-02 03:04:05+00', '2026-01-02 03:04:05+00', NULL);
INSERT INTO public.events VALUES (2, 'disk.low', 'e', '{}', '2026-01-02 03:04:05+00', NULL, NULL, NULL, 1);
INSERT INTO public.failed_attempts VALUES (1, 'user ada', '2026-01-02 03:04:05+00');
INSERT INTO public.file_changes VALUES ('00000000-0000-4000-8000-000000000096', 'move-game', '00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000003', '{"paths": [{"source": "Portal", "target": "Portal 2"}], "targetLibrary": "00000000-0000-4000-8000-000000000001", "version": null, "item": ""}', false, '2026-01-02 03:04:05+00', '00000000-0000-4000-8000-000000000008');
INSERT INTO public.found_versions VALUES ('00000000-0000-4000-8000-000000000090', '00000000-0000-4000-8000-000000000001', 'Portal', '1.0', '3 5000000000 1767323045000000000 1767323045000000000', '2026-01-02 03:04:05+00', '2026-01-02 03:04:05+00', NULL, '2026-01-02 03:04:05+00', '00000000-0000-4000-8000-000000000008', NULL, NULL);
INSERT INTO public.game_companies VALUES ('00000000-0000-4000-8000-000000000003', 'developer', '00000000-0000-4000-8000-000000000013', 0);
INSERT INTO public.game_request_votes VALUES ('00000000-0000-4000-8000-000000000091', '00000000-0000-4000-8000-000000000002', '2026-01-02 03:04:05+00');
INSERT INTO public.game_requests VALUES ('00000000-0000-4000-8000-000000000091', '00000000-0000-4000-8000-000000000002', 'Steam:620', 'Portal 2', 2011, 'Steam', '620', '', 'accepted', 'Soon.', '00000000-0000-4000-8000-000000000001', 'Portal 2', NULL, '2026-01-02 03:04:05+00', '2026-01-02 03:04:05+00');
INSERT INTO public.game_tags VALUES ('00000000-0000-4000-8000-000000000003', '00000000-0000-4000-8000-000000000014', 0);
INSERT INTO public.games VALUES ('00000000-0000-4000-8000-000000000003', '00000000-0000-4000-8000-000000000001', 'Portal', 'Portal™', 'Steam', '400', '2026-01-02 03:04:05+00', 'portal™', '', '', NULL, NULL, false, NULL, '[]', '[]', '[]', '{}', '{}', NULL, '2026-01-02 03:04:05+00', NULL, NULL);
INSERT INTO public.import_checkpoints VALUES (1, '00000000-0000-4000-8000-000000000003', '1.2', '2026-01-02 03:04:05+00', '\x00ff7265636f726473');
INSERT INTO public.import_run_rows VALUES (1, '00000000-0000-4000-8000-000000000007', 0, '00000000-0000-4000-8000-000000000001', 'Portal', '{}', '2026-01-02 03:04:05+00', '00000000-0000-4000-8000-000000000003', NULL);
INSERT INTO public.import_runs VALUES ('00000000-0000-4000-8000-000000000007', '00000000-0000-4000-8000-000000000008', '2026-01-02 03:04:05+00', NULL, NULL);
INSERT INTO public.invitations VALUES ('00000000-0000-4000-8000-000000000020', false, NULL, NULL, '2099-01-02 03:04:05+00', '2026-01-02 03:04:05+00');
INSERT INTO public.libraries VALUES ('00000000-0000-4000-8000-000000000001', 'Games', 'Filesystem', '{"baseDir": "/games"}', '2026-01-02 03:04:05+00', NULL);
INSERT INTO public.moved_rows VALUES ('drop', 'game', '7', '00000000-0000-4000-8000-000000000003', '2026-01-02 03:04:05+00');
INSERT INTO public.news_articles VALUES ('00000000-0000-4000-8000-000000000092', 'Game night', 'On Friday.', 'We play **Portal**.', NULL, '00000000-0000-4000-8000-000000000002', '00000000-0000-4000-8000-000000000003', NULL, '2026-01-02 03:04:05+00', '2026-01-02 03:04:05+00');
INSERT INTO public.news_feeds VALUES ('00000000-0000-4000-8000-000000000002', 'feed', '2026-01-02 03:04:05+00');
INSERT INTO public.nodes VALUES ('alpha:0123456789ab:17:abcdefgh', 'alpha', '0.1.0', '2026-01-02 03:04:05+00', '2026-01-02 03:04:05+00', '{"shares": {}}');
INSERT INTO public.notification_preferences VALUES ('00000000-0000-4000-8000-000000000002', '{"platforms": ["Linux"], "tags": ["00000000-0000-4000-8000-000000000014"], "muted": ["game.added"]}');
INSERT INTO public.notifications VALUES (1, '00000000-0000-4000-8000-000000000002', 'b:version.added', 'version.added', 'Portal 1.0 is available', 'version-available', '{"game": "Portal", "version": "1.0"}', '', NULL, '{}', '/games/00000000-0000-4000-8000-000000000003', '2026-01-02 03:04:05+00', false, true);
INSERT INTO public.objects VALUES ('00000000-0000-4000-8000-000000000006', 'image/webp', 10, 'e', 'user:read', '2026-01-02 03:04:05+00');
INSERT INTO public.openid_flows VALUES ('s', 'b', 'n', 'v', '/', '00000000-0000-4000-8000-000000000009', 'd', '2026-01-02 03:04:05+00', false);
INSERT INTO public.openid_sessions VALUES ('00000000-0000-4000-8000-000000000009', 't');
INSERT INTO public.openid_tests VALUES ('d', false, NULL, NULL, '2026-01-02 03:04:05+00');
INSERT INTO public.password_resets VALUES ('reset', '00000000-0000-4000-8000-000000000002', '2026-01-02 03:04:05+00');
INSERT INTO public.patch_sets VALUES ('00000000-0000-4000-8000-000000000027', '00000000-0000-4000-8000-000000000005', '00000000-0000-4000-8000-000000000004', '1.1', '1.0', 1, '2026-01-02 03:04:05+00', '2026-01-02 03:04:05+00');
INSERT INTO public.picture_uses VALUES ('00000000-0000-4000-8000-000000000003', 'carousel', 0, '00000000-0000-4000-8000-000000000023');
INSERT INTO public.pictures VALUES ('00000000-0000-4000-8000-000000000023', '00000000-0000-4000-8000-000000000003', 'Steam', '', '', '[]', '2026-01-02 03:04:05+00', NULL, NULL);
INSERT INTO public.plan_rows VALUES ('00000000-0000-4000-8000-000000000025', '00000000-0000-4000-8000-000000000001', 'Half-Life', 'Half-Life', false, 0.5, NULL, NULL, '[]', '[]', '[]', '', '2026-01-02 03:04:05+00', NULL, NULL);
INSERT INTO public.play_records VALUES ('00000000-0000-4000-8000-000000000002', '00000000-0000-4000-8000-000000000003', 'playing', 'Save before the lab.', '2026-01-02 03:04:05+00', NULL);
INSERT INTO public.play_sessions VALUES ('00000000-0000-4000-8000-000000000002', 's1', '00000000-0000-4000-8000-000000000003', '00000000-0000-4000-8000-000000000004', '00000000-0000-4000-8000-000000000011', '2026-01-02 03:04:05+00', 5400, NULL);
INSERT INTO public.provider_responses VALUES ('d', 'Steam', '\x7b7d', '2026-01-02 03:04:05+00');
INSERT INTO public.provider_states VALUES ('Steam', '[1.5]', NULL, NULL, NULL);
INSERT INTO public.push_subscriptions VALUES ('00000000-0000-4000-8000-000000000009', '00000000-0000-4000-8000-000000000002', 'e', 'p', 'a', '2026-01-02 03:04:05+00', NULL);
INSERT INTO public.queued_installations VALUES ('00000000-0000-4000-8000-000000000011', '00000000-0000-4000-8000-000000000003', '2026-01-02 03:04:05+00');
INSERT INTO public.search_entries VALUES (1, '00000000-0000-4000-8000-000000000003', 'portal', 'puzzle
valve', 1);
INSERT INTO public.search_index VALUES (1, '''portal'' ''puzzle'' ''valve''', '''portal'' ''puzzle'' ''valve''', '''__p'' ''_po'' ''al_'' ''ort'' ''por'' ''rta'' ''tal''');
INSERT INTO public.server_profile VALUES ('server', 'The arcade', 'Welcome', NULL);
INSERT INTO public.sessions VALUES ('00000000-0000-4000-8000-000000000009', '00000000-0000-4000-8000-000000000002', 'b43f195fb2477ef49eedaa13115b24b85bcdd08561e2fce1a70fc2aa010089c0', 'a browser', '2026-01-02 03:04:05+00', '2099-01-02 03:04:05+00', '2099-01-02 03:04:05+00', NULL, NULL, NULL);
INSERT INTO public.sign_in_methods VALUES ('00000000-0000-4000-8000-000000000021', '00000000-0000-4000-8000-000000000002', 'Simple', NULL, '$argon2id$v=19$m=8,t=1,p=1$UDzu1GNWdXvgmbWCHQWAYg$F6N2HgEeJGutdcKgdxuUfxnypr64k4WrQadJRt9v8io');
INSERT INTO public.stored_settings VALUES ('download_rate', '5000000');
INSERT INTO public.tags VALUES ('00000000-0000-4000-8000-000000000014', 'genre', 'Puzzle', 'puzzle', '2026-01-02 03:04:05+00');
INSERT INTO public.task_log VALUES (1, '00000000-0000-4000-8000-000000000008', '2026-01-02 03:04:05+00', 'info', 'It''s 50%; "done" ✓', NULL, NULL);
INSERT INTO public.tasks VALUES ('00000000-0000-4000-8000-000000000008', 'import:game', 'default', 'Import Portal', 'import Portal 2', '{"path": "Portal"}', '[]', '2026-01-02 03:04:05+00', '2099-01-02 03:04:05+00', NULL, NULL, 1, 0, 0, false, 50, NULL, NULL, false, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.tasks VALUES ('00000000-0000-4000-8000-000000000022', 'import:game', 'default', 'Import Portal', 'import Portal', '{"path": "Portal"}', '[]', '2026-01-02 03:04:05+00', '2099-01-02 03:04:05+00', NULL, NULL, 1, 0, 0, false, 50, '2026-01-02 03:04:05+00', '2026-01-02 03:04:05+00', false, 'Failed', 'It''s broken.', NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.tokens VALUES ('00000000-0000-4000-8000-000000000010', '00000000-0000-4000-8000-000000000002', 'token', 'n', '["store:read"]', '2026-01-02 03:04:05+00', '2027-11-28 11:13:27.395379+00');
INSERT INTO public.transfer_days VALUES ('00000000-0000-4000-8000-000000000028', '2026-01-02', '00000000-0000-4000-8000-000000000002', '00000000-0000-4000-8000-000000000004', 5000000000);
INSERT INTO public.trash_items VALUES ('00000000-0000-4000-8000-000000000098', '00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000003', '00000000-0000-4000-8000-000000000097', 'Portal', '0.9', '["Portal/0.9"]', 5000000000, '["00000000-0000-4000-8000-000000000097"]', '{"removed": [{"table": "versions", "rows": [{"id": "00000000-0000-4000-8000-000000000097", "name": "0.9", "created": "2026-11-01T10:00:00+00:00"}]}], "cleared": []}', '2026-01-02 03:04:05+00');
INSERT INTO public.uploads VALUES ('00000000-0000-4000-8000-000000000093', '00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002', 'Portal', '2.0', 'd', 3, 5000000000, 1, '2026-01-02 03:04:05+00', '2026-01-02 03:04:05+00', NULL, NULL);
INSERT INTO public.users VALUES ('00000000-0000-4000-8000-000000000002', 'Ada', 'ada', 'Ada Lovelace', 'ada@example.org', '00000000-0000-4000-8000-000000000006', true, true, '2026-01-02 03:04:05+00', NULL, NULL);
INSERT INTO public.versions VALUES ('00000000-0000-4000-8000-000000000004', '00000000-0000-4000-8000-000000000003', 1, '1.0', 'Linux', false, NULL, false, 'bin/portal', '-novid', '', '', NULL, 5000000000, 6000000000, '1.0', '2026-01-02 03:04:05+00', 0, NULL, NULL, NULL, false);
INSERT INTO public.versions VALUES ('00000000-0000-4000-8000-000000000005', '00000000-0000-4000-8000-000000000003', 2, '1.1', 'Linux', true, '00000000-0000-4000-8000-000000000004', false, 'bin/portal', '-novid', '', '', NULL, 5000000000, 6000000000, '1.1', '2026-01-02 03:04:05+00', 0, NULL, NULL, NULL, false);
INSERT INTO public.webhook_deliveries VALUES ('00000000-0000-4000-8000-000000000095', '00000000-0000-4000-8000-000000000094', 'game.added', '2026-01-02 03:04:05+00', '{}', '2026-01-02 03:04:05+00', 1, NULL, '2026-01-02 03:04:05+00', 204, NULL, NULL, '{}');
INSERT INTO public.webhooks VALUES ('00000000-0000-4000-8000-000000000094', 'https://hooks.example.org/', 's', '[]', true, '2026-01-02 03:04:05+00');
SELECT pg_catalog.setval('public.audit_entries_id_seq', 1, false);
SELECT pg_catalog.setval('public.cache_revisions_id_seq', 1, false);
SELECT pg_catalog.setval('public.damages_id_seq', 1, true);
SELECT pg_catalog.setval('public.deliveries_id_seq', 1, false);
SELECT pg_catalog.setval('public.events_id_seq', 2, true);
SELECT pg_catalog.setval('public.failed_attempts_id_seq', 1, true);
SELECT pg_catalog.setval('public.import_checkpoints_id_seq', 1, true);
SELECT pg_catalog.setval('public.import_parts_id_seq', 1, false);
SELECT pg_catalog.setval('public.import_run_rows_id_seq', 1, true);
SELECT pg_catalog.setval('public.notifications_id_seq', 1, true);
SELECT pg_catalog.setval('public.search_entries_id_seq', 1, true);
SELECT pg_catalog.setval('public.task_log_id_seq', 1, true);
ALTER TABLE ONLY public.alembic_version
    ADD CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num);
ALTER TABLE ONLY public.audit_entries
    ADD CONSTRAINT pk_audit_entries PRIMARY KEY (id);
ALTER TABLE ONLY public.cache_revisions
    ADD CONSTRAINT pk_cache_revisions PRIMARY KEY (id);
ALTER TABLE ONLY public.collection_entries
    ADD CONSTRAINT pk_collection_entries PRIMARY KEY (collection_id, game_id);
ALTER TABLE ONLY public.collections
    ADD CONSTRAINT pk_collections PRIMARY KEY (id);
ALTER TABLE ONLY public.companies
    ADD CONSTRAINT pk_companies PRIMARY KEY (id);
ALTER TABLE ONLY public.damages
    ADD CONSTRAINT pk_damages PRIMARY KEY (id);
ALTER TABLE ONLY public.deliveries
    ADD CONSTRAINT pk_deliveries PRIMARY KEY (id);
ALTER TABLE ONLY public.delivery_preferences
    ADD CONSTRAINT pk_delivery_preferences PRIMARY KEY (user_id);
ALTER TABLE ONLY public.device_installations
    ADD CONSTRAINT pk_device_installations PRIMARY KEY (device_id, game_id);
ALTER TABLE ONLY public.device_requests
    ADD CONSTRAINT pk_device_requests PRIMARY KEY (id);
ALTER TABLE ONLY public.devices
    ADD CONSTRAINT pk_devices PRIMARY KEY (id);
ALTER TABLE ONLY public.disk_days
    ADD CONSTRAINT pk_disk_days PRIMARY KEY (day, disk);
ALTER TABLE ONLY public.download_links
    ADD CONSTRAINT pk_download_links PRIMARY KEY (id);
ALTER TABLE ONLY public.drop_contexts
    ADD CONSTRAINT pk_drop_contexts PRIMARY KEY (id);
ALTER TABLE ONLY public.events
    ADD CONSTRAINT pk_events PRIMARY KEY (id);
ALTER TABLE ONLY public.failed_attempts
    ADD CONSTRAINT pk_failed_attempts PRIMARY KEY (id);
ALTER TABLE ONLY public.file_changes
    ADD CONSTRAINT pk_file_changes PRIMARY KEY (id);
ALTER TABLE ONLY public.found_versions
    ADD CONSTRAINT pk_found_versions PRIMARY KEY (id);
ALTER TABLE ONLY public.game_companies
    ADD CONSTRAINT pk_game_companies PRIMARY KEY (game_id, role, company_id);
ALTER TABLE ONLY public.game_request_votes
    ADD CONSTRAINT pk_game_request_votes PRIMARY KEY (request_id, user_id);
ALTER TABLE ONLY public.game_requests
    ADD CONSTRAINT pk_game_requests PRIMARY KEY (id);
ALTER TABLE ONLY public.game_tags
    ADD CONSTRAINT pk_game_tags PRIMARY KEY (game_id, tag_id);
ALTER TABLE ONLY public.games
    ADD CONSTRAINT pk_games PRIMARY KEY (id);
ALTER TABLE ONLY public.import_checkpoints
    ADD CONSTRAINT pk_import_checkpoints PRIMARY KEY (id);
ALTER TABLE ONLY public.import_parts
    ADD CONSTRAINT pk_import_parts PRIMARY KEY (id);
ALTER TABLE ONLY public.import_run_rows
    ADD CONSTRAINT pk_import_run_rows PRIMARY KEY (id);
ALTER TABLE ONLY public.import_runs
    ADD CONSTRAINT pk_import_runs PRIMARY KEY (id);
ALTER TABLE ONLY public.invitations
    ADD CONSTRAINT pk_invitations PRIMARY KEY (id);
ALTER TABLE ONLY public.libraries
    ADD CONSTRAINT pk_libraries PRIMARY KEY (id);
ALTER TABLE ONLY public.moved_rows
    ADD CONSTRAINT pk_moved_rows PRIMARY KEY (server, kind, source_key);
ALTER TABLE ONLY public.news_articles
    ADD CONSTRAINT pk_news_articles PRIMARY KEY (id);
ALTER TABLE ONLY public.news_feeds
    ADD CONSTRAINT pk_news_feeds PRIMARY KEY (user_id);
ALTER TABLE ONLY public.nodes
    ADD CONSTRAINT pk_nodes PRIMARY KEY (id);
ALTER TABLE ONLY public.notification_preferences
    ADD CONSTRAINT pk_notification_preferences PRIMARY KEY (user_id);
ALTER TABLE ONLY public.notifications
    ADD CONSTRAINT pk_notifications PRIMARY KEY (id);
ALTER TABLE ONLY public.objects
    ADD CONSTRAINT pk_objects PRIMARY KEY (id);
ALTER TABLE ONLY public.openid_flows
    ADD CONSTRAINT pk_openid_flows PRIMARY KEY (state);
ALTER TABLE ONLY public.openid_sessions
    ADD CONSTRAINT pk_openid_sessions PRIMARY KEY (session_id);
ALTER TABLE ONLY public.openid_tests
    ADD CONSTRAINT pk_openid_tests PRIMARY KEY (digest);
ALTER TABLE ONLY public.password_resets
    ADD CONSTRAINT pk_password_resets PRIMARY KEY (digest);
ALTER TABLE ONLY public.patch_sets
    ADD CONSTRAINT pk_patch_sets PRIMARY KEY (id);
ALTER TABLE ONLY public.picture_uses
    ADD CONSTRAINT pk_picture_uses PRIMARY KEY (game_id, role, "position");
ALTER TABLE ONLY public.pictures
    ADD CONSTRAINT pk_pictures PRIMARY KEY (id);
ALTER TABLE ONLY public.plan_rows
    ADD CONSTRAINT pk_plan_rows PRIMARY KEY (id);
ALTER TABLE ONLY public.play_records
    ADD CONSTRAINT pk_play_records PRIMARY KEY (user_id, game_id);
ALTER TABLE ONLY public.play_sessions
    ADD CONSTRAINT pk_play_sessions PRIMARY KEY (user_id, id);
ALTER TABLE ONLY public.provider_responses
    ADD CONSTRAINT pk_provider_responses PRIMARY KEY (digest);
ALTER TABLE ONLY public.provider_states
    ADD CONSTRAINT pk_provider_states PRIMARY KEY (source_id);
ALTER TABLE ONLY public.push_subscriptions
    ADD CONSTRAINT pk_push_subscriptions PRIMARY KEY (session_id);
ALTER TABLE ONLY public.queued_installations
    ADD CONSTRAINT pk_queued_installations PRIMARY KEY (device_id, game_id);
ALTER TABLE ONLY public.save_slots
    ADD CONSTRAINT pk_save_slots PRIMARY KEY (id);
ALTER TABLE ONLY public.saved_games
    ADD CONSTRAINT pk_saved_games PRIMARY KEY (id);
ALTER TABLE ONLY public.schema_upgrades
    ADD CONSTRAINT pk_schema_upgrades PRIMARY KEY (revision);
ALTER TABLE ONLY public.search_entries
    ADD CONSTRAINT pk_search_entries PRIMARY KEY (id);
ALTER TABLE ONLY public.search_index
    ADD CONSTRAINT pk_search_index PRIMARY KEY (id);
ALTER TABLE ONLY public.server_profile
    ADD CONSTRAINT pk_server_profile PRIMARY KEY (id);
ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT pk_sessions PRIMARY KEY (id);
ALTER TABLE ONLY public.sign_in_methods
    ADD CONSTRAINT pk_sign_in_methods PRIMARY KEY (id);
ALTER TABLE ONLY public.stored_settings
    ADD CONSTRAINT pk_stored_settings PRIMARY KEY (name);
ALTER TABLE ONLY public.tags
    ADD CONSTRAINT pk_tags PRIMARY KEY (id);
ALTER TABLE ONLY public.task_log
    ADD CONSTRAINT pk_task_log PRIMARY KEY (id);
ALTER TABLE ONLY public.tasks
    ADD CONSTRAINT pk_tasks PRIMARY KEY (id);
ALTER TABLE ONLY public.tokens
    ADD CONSTRAINT pk_tokens PRIMARY KEY (id);
ALTER TABLE ONLY public.transfer_days
    ADD CONSTRAINT pk_transfer_days PRIMARY KEY (id);
ALTER TABLE ONLY public.trash_items
    ADD CONSTRAINT pk_trash_items PRIMARY KEY (id);
ALTER TABLE ONLY public.uploads
    ADD CONSTRAINT pk_uploads PRIMARY KEY (id);
ALTER TABLE ONLY public.users
    ADD CONSTRAINT pk_users PRIMARY KEY (id);
ALTER TABLE ONLY public.versions
    ADD CONSTRAINT pk_versions PRIMARY KEY (id);
ALTER TABLE ONLY public.webhook_deliveries
    ADD CONSTRAINT pk_webhook_deliveries PRIMARY KEY (id);
ALTER TABLE ONLY public.webhooks
    ADD CONSTRAINT pk_webhooks PRIMARY KEY (id);
ALTER TABLE ONLY public.companies
    ADD CONSTRAINT uq_companies_normalized_name UNIQUE (normalized_name);
ALTER TABLE ONLY public.damages
    ADD CONSTRAINT uq_damages_version_id_path UNIQUE (version_id, path);
ALTER TABLE ONLY public.deliveries
    ADD CONSTRAINT uq_deliveries_notification_id_channel UNIQUE (notification_id, channel);
ALTER TABLE ONLY public.device_requests
    ADD CONSTRAINT uq_device_requests_digest UNIQUE (digest);
ALTER TABLE ONLY public.device_requests
    ADD CONSTRAINT uq_device_requests_user_code UNIQUE (user_code);
ALTER TABLE ONLY public.devices
    ADD CONSTRAINT uq_devices_digest UNIQUE (digest);
ALTER TABLE ONLY public.download_links
    ADD CONSTRAINT uq_download_links_digest UNIQUE (digest);
ALTER TABLE ONLY public.events
    ADD CONSTRAINT uq_events_nonce UNIQUE (nonce);
ALTER TABLE ONLY public.file_changes
    ADD CONSTRAINT uq_file_changes_game_id UNIQUE (game_id);
ALTER TABLE ONLY public.found_versions
    ADD CONSTRAINT uq_found_versions_library_id_path_version UNIQUE (library_id, path, version);
ALTER TABLE ONLY public.game_requests
    ADD CONSTRAINT uq_game_requests_key UNIQUE (key);
ALTER TABLE ONLY public.games
    ADD CONSTRAINT uq_games_library_id_path UNIQUE (library_id, path);
ALTER TABLE ONLY public.games
    ADD CONSTRAINT uq_games_metadata_source_metadata_id UNIQUE (metadata_source, metadata_id);
ALTER TABLE ONLY public.import_run_rows
    ADD CONSTRAINT uq_import_run_rows_run_id_position UNIQUE (run_id, "position");
ALTER TABLE ONLY public.news_articles
    ADD CONSTRAINT uq_news_articles_version_id UNIQUE (version_id);
ALTER TABLE ONLY public.news_feeds
    ADD CONSTRAINT uq_news_feeds_digest UNIQUE (digest);
ALTER TABLE ONLY public.notifications
    ADD CONSTRAINT uq_notifications_user_id_nonce UNIQUE (user_id, nonce);
ALTER TABLE ONLY public.patch_sets
    ADD CONSTRAINT uq_patch_sets_version_id_from_id UNIQUE (version_id, from_id);
ALTER TABLE ONLY public.plan_rows
    ADD CONSTRAINT uq_plan_rows_library_id_path UNIQUE (library_id, path);
ALTER TABLE ONLY public.save_slots
    ADD CONSTRAINT uq_save_slots_user_id_game_id_number UNIQUE (user_id, game_id, number);
ALTER TABLE ONLY public.saved_games
    ADD CONSTRAINT uq_saved_games_slot_id_position UNIQUE (slot_id, "position");
ALTER TABLE ONLY public.search_entries
    ADD CONSTRAINT uq_search_entries_game_id UNIQUE (game_id);
ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT uq_sessions_digest UNIQUE (digest);
ALTER TABLE ONLY public.sign_in_methods
    ADD CONSTRAINT uq_sign_in_methods_kind_subject UNIQUE (kind, subject);
ALTER TABLE ONLY public.sign_in_methods
    ADD CONSTRAINT uq_sign_in_methods_user_id_kind UNIQUE (user_id, kind);
ALTER TABLE ONLY public.tags
    ADD CONSTRAINT uq_tags_kind_normalized_name UNIQUE (kind, normalized_name);
ALTER TABLE ONLY public.tokens
    ADD CONSTRAINT uq_tokens_digest UNIQUE (digest);
ALTER TABLE ONLY public.transfer_days
    ADD CONSTRAINT uq_transfer_days_day_user_id_version_id UNIQUE (day, user_id, version_id);
ALTER TABLE ONLY public.users
    ADD CONSTRAINT uq_users_normalized_name UNIQUE (normalized_name);
ALTER TABLE ONLY public.versions
    ADD CONSTRAINT uq_versions_game_id_name UNIQUE (game_id, name);
ALTER TABLE ONLY public.versions
    ADD CONSTRAINT uq_versions_game_id_position UNIQUE (game_id, "position");
CREATE INDEX ix_audit_entries_at ON public.audit_entries USING btree (at);
CREATE INDEX ix_collection_entries_game_id ON public.collection_entries USING btree (game_id);
CREATE INDEX ix_collections_user_id ON public.collections USING btree (user_id);
CREATE INDEX ix_deliveries_channel_due ON public.deliveries USING btree (channel, due);
CREATE INDEX ix_deliveries_message ON public.deliveries USING btree (message);
CREATE INDEX ix_deliveries_user_id_channel ON public.deliveries USING btree (user_id, channel);
CREATE INDEX ix_device_installations_game_id ON public.device_installations USING btree (game_id);
CREATE INDEX ix_device_installations_version_id ON public.device_installations USING btree (version_id);
CREATE INDEX ix_device_requests_expires ON public.device_requests USING btree (expires);
CREATE INDEX ix_devices_user_id ON public.devices USING btree (user_id);
CREATE INDEX ix_download_links_expires ON public.download_links USING btree (expires);
CREATE INDEX ix_download_links_user_id ON public.download_links USING btree (user_id);
CREATE INDEX ix_download_links_version_id ON public.download_links USING btree (version_id);
CREATE INDEX ix_drop_contexts_device_id ON public.drop_contexts USING btree (device_id);
CREATE INDEX ix_drop_contexts_used ON public.drop_contexts USING btree (used);
CREATE INDEX ix_drop_contexts_version_id ON public.drop_contexts USING btree (version_id);
CREATE INDEX ix_events_announced ON public.events USING btree (announced);
CREATE INDEX ix_events_dispatched ON public.events USING btree (dispatched);
CREATE UNIQUE INDEX ix_events_position ON public.events USING btree ("position");
CREATE INDEX ix_failed_attempts_key_at ON public.failed_attempts USING btree (key, at);
CREATE INDEX ix_file_changes_library_id ON public.file_changes USING btree (library_id);
CREATE INDEX ix_found_versions_task_id ON public.found_versions USING btree (task_id);
CREATE INDEX ix_game_companies_company_id_game_id ON public.game_companies USING btree (company_id, game_id);
CREATE INDEX ix_game_request_votes_user_id ON public.game_request_votes USING btree (user_id);
CREATE INDEX ix_game_requests_game_id ON public.game_requests USING btree (game_id);
CREATE INDEX ix_game_requests_library_id_path ON public.game_requests USING btree (library_id, path);
CREATE INDEX ix_game_requests_source_id_metadata_id ON public.game_requests USING btree (source_id, metadata_id);
CREATE INDEX ix_game_requests_user_id_status ON public.game_requests USING btree (user_id, status);
CREATE INDEX ix_game_tags_tag_id ON public.game_tags USING btree (tag_id);
CREATE INDEX ix_games_created_id ON public.games USING btree (created, id);
CREATE INDEX ix_games_featured_created_id ON public.games USING btree (featured, created, id);
CREATE INDEX ix_games_library_id_id ON public.games USING btree (library_id, id);
CREATE INDEX ix_games_rating_id ON public.games USING btree (rating, id);
CREATE INDEX ix_games_released_id ON public.games USING btree (released, id);
CREATE INDEX ix_games_run_id ON public.games USING btree (run_id);
CREATE INDEX ix_games_sort_name_id ON public.games USING btree (sort_name, id);
CREATE INDEX ix_games_sort_name_pattern ON public.games USING btree (sort_name text_pattern_ops, id);
CREATE INDEX ix_games_updated_id ON public.games USING btree (updated, id);
CREATE INDEX ix_import_checkpoints_game_id_version_name ON public.import_checkpoints USING btree (game_id, version_name);
CREATE INDEX ix_import_parts_task_id_id ON public.import_parts USING btree (task_id, id);
CREATE INDEX ix_news_articles_game_id ON public.news_articles USING btree (game_id);
CREATE INDEX ix_news_articles_published_id ON public.news_articles USING btree (published, id);
CREATE INDEX ix_notifications_created ON public.notifications USING btree (created);
CREATE INDEX ix_openid_flows_expires ON public.openid_flows USING btree (expires);
CREATE INDEX ix_openid_flows_session_id ON public.openid_flows USING btree (session_id);
CREATE INDEX ix_openid_flows_test ON public.openid_flows USING btree (test);
CREATE INDEX ix_password_resets_user_id ON public.password_resets USING btree (user_id);
CREATE INDEX ix_patch_sets_from_id ON public.patch_sets USING btree (from_id);
CREATE INDEX ix_patch_sets_used ON public.patch_sets USING btree (used);
CREATE INDEX ix_picture_uses_picture_id ON public.picture_uses USING btree (picture_id);
CREATE INDEX ix_pictures_game_id ON public.pictures USING btree (game_id);
CREATE INDEX ix_plan_rows_certain_path ON public.plan_rows USING btree (certain, path);
CREATE INDEX ix_plan_rows_source_id_metadata_id ON public.plan_rows USING btree (source_id, metadata_id);
CREATE INDEX ix_play_records_game_id ON public.play_records USING btree (game_id);
CREATE INDEX ix_play_sessions_device_id ON public.play_sessions USING btree (device_id);
CREATE INDEX ix_play_sessions_game_id ON public.play_sessions USING btree (game_id);
CREATE INDEX ix_play_sessions_user_id_game_id ON public.play_sessions USING btree (user_id, game_id);
CREATE INDEX ix_play_sessions_version_id ON public.play_sessions USING btree (version_id);
CREATE INDEX ix_provider_responses_expires ON public.provider_responses USING btree (expires);
CREATE INDEX ix_push_subscriptions_user_id ON public.push_subscriptions USING btree (user_id);
CREATE INDEX ix_queued_installations_game_id ON public.queued_installations USING btree (game_id);
CREATE INDEX ix_save_slots_device_id ON public.save_slots USING btree (device_id);
CREATE INDEX ix_save_slots_game_id ON public.save_slots USING btree (game_id);
CREATE INDEX ix_search_entries_version ON public.search_entries USING btree (version);
CREATE INDEX ix_search_index_grams ON public.search_index USING gin (grams);
CREATE INDEX ix_search_index_names ON public.search_index USING gin (names);
CREATE INDEX ix_search_index_words ON public.search_index USING gin (words);
CREATE UNIQUE INDEX ix_sessions_replaced_digest ON public.sessions USING btree (replaced_digest);
CREATE INDEX ix_sessions_user_id ON public.sessions USING btree (user_id);
CREATE INDEX ix_task_log_task_id ON public.task_log USING btree (task_id);
CREATE INDEX ix_tasks_ended_queue_due ON public.tasks USING btree (ended, queue, due);
CREATE INDEX ix_tokens_user_id ON public.tokens USING btree (user_id);
CREATE INDEX ix_transfer_days_user_id ON public.transfer_days USING btree (user_id);
CREATE INDEX ix_trash_items_library_id ON public.trash_items USING btree (library_id);
CREATE INDEX ix_uploads_library_id ON public.uploads USING btree (library_id);
CREATE INDEX ix_versions_beside_name ON public.versions USING btree (beside, name);
CREATE INDEX ix_versions_damaged ON public.versions USING btree (damaged);
CREATE INDEX ix_versions_game_id_platform ON public.versions USING btree (game_id, platform);
CREATE INDEX ix_versions_game_id_size ON public.versions USING btree (game_id, size);
CREATE INDEX ix_versions_verified_id ON public.versions USING btree (verified, id);
CREATE INDEX ix_webhook_deliveries_created ON public.webhook_deliveries USING btree (created);
CREATE INDEX ix_webhook_deliveries_due ON public.webhook_deliveries USING btree (due);
CREATE INDEX ix_webhook_deliveries_webhook_id_created_id ON public.webhook_deliveries USING btree (webhook_id, created, id);
CREATE UNIQUE INDEX uq_collections_default ON public.collections USING btree (user_id) WHERE is_default;
CREATE UNIQUE INDEX uq_tasks_active_subject ON public.tasks USING btree (subject) WHERE (ended IS NULL);
CREATE CONSTRAINT TRIGGER companies_store_changed AFTER DELETE OR UPDATE ON public.companies DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.store_changed();
CREATE CONSTRAINT TRIGGER devices_credentials_changed AFTER DELETE OR UPDATE OF id, user_id, digest ON public.devices DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.credentials_changed();
CREATE CONSTRAINT TRIGGER download_links_credentials_changed AFTER DELETE OR UPDATE OF id, user_id, version_id, digest, target, expires ON public.download_links DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.credentials_changed();
CREATE CONSTRAINT TRIGGER game_companies_store_changed AFTER INSERT OR DELETE OR UPDATE ON public.game_companies DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.store_changed();
CREATE CONSTRAINT TRIGGER game_tags_store_changed AFTER INSERT OR DELETE OR UPDATE ON public.game_tags DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.store_changed();
CREATE CONSTRAINT TRIGGER games_content_changed AFTER DELETE OR UPDATE OF id, library_id, path, name ON public.games DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.content_changed();
CREATE CONSTRAINT TRIGGER games_store_changed AFTER INSERT OR DELETE ON public.games DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.store_changed();
CREATE CONSTRAINT TRIGGER libraries_content_changed AFTER DELETE OR UPDATE ON public.libraries DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.content_changed();
CREATE CONSTRAINT TRIGGER sessions_credentials_changed AFTER DELETE OR UPDATE OF id, user_id, digest, replaced_digest, replaced_until, expires, authenticated ON public.sessions DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.credentials_changed();
CREATE CONSTRAINT TRIGGER stored_settings_settings_changed AFTER INSERT OR DELETE OR UPDATE ON public.stored_settings DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.settings_changed();
CREATE CONSTRAINT TRIGGER tags_store_changed AFTER DELETE OR UPDATE ON public.tags DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.store_changed();
CREATE CONSTRAINT TRIGGER tokens_credentials_changed AFTER DELETE OR UPDATE ON public.tokens DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.credentials_changed();
CREATE CONSTRAINT TRIGGER users_credentials_changed AFTER DELETE OR UPDATE ON public.users DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.credentials_changed();
CREATE CONSTRAINT TRIGGER versions_content_changed AFTER DELETE OR UPDATE OF id, game_id, name, base_id, revision, manifest_etag ON public.versions DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.content_changed();
CREATE CONSTRAINT TRIGGER versions_store_changed AFTER INSERT OR DELETE OR UPDATE OF game_id, platform ON public.versions DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.store_changed();
ALTER TABLE ONLY public.collection_entries
    ADD CONSTRAINT fk_collection_entries_collection_id FOREIGN KEY (collection_id) REFERENCES public.collections(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.collection_entries
    ADD CONSTRAINT fk_collection_entries_game_id FOREIGN KEY (game_id) REFERENCES public.games(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.collections
    ADD CONSTRAINT fk_collections_user_id FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.damages
    ADD CONSTRAINT fk_damages_version_id FOREIGN KEY (version_id) REFERENCES public.versions(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.deliveries
    ADD CONSTRAINT fk_deliveries_notification_id FOREIGN KEY (notification_id) REFERENCES public.notifications(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.deliveries
    ADD CONSTRAINT fk_deliveries_user_id FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.delivery_preferences
    ADD CONSTRAINT fk_delivery_preferences_user_id FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.device_installations
    ADD CONSTRAINT fk_device_installations_device_id FOREIGN KEY (device_id) REFERENCES public.devices(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.device_installations
    ADD CONSTRAINT fk_device_installations_game_id FOREIGN KEY (game_id) REFERENCES public.games(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.device_installations
    ADD CONSTRAINT fk_device_installations_version_id FOREIGN KEY (version_id) REFERENCES public.versions(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.device_requests
    ADD CONSTRAINT fk_device_requests_user_id FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.devices
    ADD CONSTRAINT fk_devices_user_id FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.download_links
    ADD CONSTRAINT fk_download_links_user_id FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.download_links
    ADD CONSTRAINT fk_download_links_version_id FOREIGN KEY (version_id) REFERENCES public.versions(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.drop_contexts
    ADD CONSTRAINT fk_drop_contexts_device_id FOREIGN KEY (device_id) REFERENCES public.devices(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.drop_contexts
    ADD CONSTRAINT fk_drop_contexts_version_id FOREIGN KEY (version_id) REFERENCES public.versions(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.file_changes
    ADD CONSTRAINT fk_file_changes_library_id FOREIGN KEY (library_id) REFERENCES public.libraries(id);
ALTER TABLE ONLY public.found_versions
    ADD CONSTRAINT fk_found_versions_library_id FOREIGN KEY (library_id) REFERENCES public.libraries(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.game_companies
    ADD CONSTRAINT fk_game_companies_company_id FOREIGN KEY (company_id) REFERENCES public.companies(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.game_companies
    ADD CONSTRAINT fk_game_companies_game_id FOREIGN KEY (game_id) REFERENCES public.games(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.game_request_votes
    ADD CONSTRAINT fk_game_request_votes_request_id FOREIGN KEY (request_id) REFERENCES public.game_requests(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.game_request_votes
    ADD CONSTRAINT fk_game_request_votes_user_id FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.game_requests
    ADD CONSTRAINT fk_game_requests_game_id FOREIGN KEY (game_id) REFERENCES public.games(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.game_requests
    ADD CONSTRAINT fk_game_requests_library_id FOREIGN KEY (library_id) REFERENCES public.libraries(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.game_requests
    ADD CONSTRAINT fk_game_requests_user_id FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.game_tags
    ADD CONSTRAINT fk_game_tags_game_id FOREIGN KEY (game_id) REFERENCES public.games(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.game_tags
    ADD CONSTRAINT fk_game_tags_tag_id FOREIGN KEY (tag_id) REFERENCES public.tags(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.games
    ADD CONSTRAINT fk_games_library_id FOREIGN KEY (library_id) REFERENCES public.libraries(id);
ALTER TABLE ONLY public.import_checkpoints
    ADD CONSTRAINT fk_import_checkpoints_game_id FOREIGN KEY (game_id) REFERENCES public.games(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.import_parts
    ADD CONSTRAINT fk_import_parts_task_id FOREIGN KEY (task_id) REFERENCES public.tasks(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.import_run_rows
    ADD CONSTRAINT fk_import_run_rows_run_id FOREIGN KEY (run_id) REFERENCES public.import_runs(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.news_articles
    ADD CONSTRAINT fk_news_articles_author_id FOREIGN KEY (author_id) REFERENCES public.users(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.news_articles
    ADD CONSTRAINT fk_news_articles_game_id FOREIGN KEY (game_id) REFERENCES public.games(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.news_articles
    ADD CONSTRAINT fk_news_articles_version_id FOREIGN KEY (version_id) REFERENCES public.versions(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.news_feeds
    ADD CONSTRAINT fk_news_feeds_user_id FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.notification_preferences
    ADD CONSTRAINT fk_notification_preferences_user_id FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.notifications
    ADD CONSTRAINT fk_notifications_user_id FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.openid_flows
    ADD CONSTRAINT fk_openid_flows_session_id FOREIGN KEY (session_id) REFERENCES public.sessions(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.openid_flows
    ADD CONSTRAINT fk_openid_flows_test FOREIGN KEY (test) REFERENCES public.openid_tests(digest) ON DELETE CASCADE;
ALTER TABLE ONLY public.openid_sessions
    ADD CONSTRAINT fk_openid_sessions_session_id FOREIGN KEY (session_id) REFERENCES public.sessions(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.password_resets
    ADD CONSTRAINT fk_password_resets_user_id FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.patch_sets
    ADD CONSTRAINT fk_patch_sets_from_id FOREIGN KEY (from_id) REFERENCES public.versions(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.patch_sets
    ADD CONSTRAINT fk_patch_sets_version_id FOREIGN KEY (version_id) REFERENCES public.versions(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.picture_uses
    ADD CONSTRAINT fk_picture_uses_game_id FOREIGN KEY (game_id) REFERENCES public.games(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.picture_uses
    ADD CONSTRAINT fk_picture_uses_picture_id FOREIGN KEY (picture_id) REFERENCES public.pictures(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.pictures
    ADD CONSTRAINT fk_pictures_game_id FOREIGN KEY (game_id) REFERENCES public.games(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.plan_rows
    ADD CONSTRAINT fk_plan_rows_library_id FOREIGN KEY (library_id) REFERENCES public.libraries(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.play_records
    ADD CONSTRAINT fk_play_records_game_id FOREIGN KEY (game_id) REFERENCES public.games(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.play_records
    ADD CONSTRAINT fk_play_records_user_id FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.play_sessions
    ADD CONSTRAINT fk_play_sessions_device_id FOREIGN KEY (device_id) REFERENCES public.devices(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.play_sessions
    ADD CONSTRAINT fk_play_sessions_game_id FOREIGN KEY (game_id) REFERENCES public.games(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.play_sessions
    ADD CONSTRAINT fk_play_sessions_user_id FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.play_sessions
    ADD CONSTRAINT fk_play_sessions_version_id FOREIGN KEY (version_id) REFERENCES public.versions(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.push_subscriptions
    ADD CONSTRAINT fk_push_subscriptions_session_id FOREIGN KEY (session_id) REFERENCES public.sessions(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.push_subscriptions
    ADD CONSTRAINT fk_push_subscriptions_user_id FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.queued_installations
    ADD CONSTRAINT fk_queued_installations_device_id FOREIGN KEY (device_id) REFERENCES public.devices(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.queued_installations
    ADD CONSTRAINT fk_queued_installations_game_id FOREIGN KEY (game_id) REFERENCES public.games(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.save_slots
    ADD CONSTRAINT fk_save_slots_device_id FOREIGN KEY (device_id) REFERENCES public.devices(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.save_slots
    ADD CONSTRAINT fk_save_slots_game_id FOREIGN KEY (game_id) REFERENCES public.games(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.save_slots
    ADD CONSTRAINT fk_save_slots_user_id FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.saved_games
    ADD CONSTRAINT fk_saved_games_id FOREIGN KEY (id) REFERENCES public.objects(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.saved_games
    ADD CONSTRAINT fk_saved_games_slot_id FOREIGN KEY (slot_id) REFERENCES public.save_slots(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.search_entries
    ADD CONSTRAINT fk_search_entries_game_id FOREIGN KEY (game_id) REFERENCES public.games(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.search_index
    ADD CONSTRAINT fk_search_index_id FOREIGN KEY (id) REFERENCES public.search_entries(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT fk_sessions_user_id FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.sign_in_methods
    ADD CONSTRAINT fk_sign_in_methods_user_id FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.task_log
    ADD CONSTRAINT fk_task_log_task_id FOREIGN KEY (task_id) REFERENCES public.tasks(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.tokens
    ADD CONSTRAINT fk_tokens_user_id FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.transfer_days
    ADD CONSTRAINT fk_transfer_days_user_id FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.trash_items
    ADD CONSTRAINT fk_trash_items_library_id FOREIGN KEY (library_id) REFERENCES public.libraries(id);
ALTER TABLE ONLY public.uploads
    ADD CONSTRAINT fk_uploads_library_id FOREIGN KEY (library_id) REFERENCES public.libraries(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.uploads
    ADD CONSTRAINT fk_uploads_user_id FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.versions
    ADD CONSTRAINT fk_versions_base_id FOREIGN KEY (base_id) REFERENCES public.versions(id);
ALTER TABLE ONLY public.versions
    ADD CONSTRAINT fk_versions_game_id FOREIGN KEY (game_id) REFERENCES public.games(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.webhook_deliveries
    ADD CONSTRAINT fk_webhook_deliveries_webhook_id FOREIGN KEY (webhook_id) REFERENCES public.webhooks(id) ON DELETE CASCADE;
