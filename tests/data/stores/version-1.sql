PRAGMA application_id = 1885758571;
PRAGMA user_version = 1;
BEGIN TRANSACTION;
CREATE TABLE "_sqlite_migrations" (
   "id" INTEGER PRIMARY KEY,
   "migration_set" TEXT,
   "name" TEXT,
   "applied_at" TEXT
);
INSERT INTO "_sqlite_migrations" VALUES(1,'proofdeck','create_log_and_evidence','2026-11-29 23:23:40.621537+00:00');
CREATE TABLE events (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  counter INTEGER NOT NULL CHECK (counter > 0),
  at TEXT NOT NULL,
  "offset" INTEGER NOT NULL CHECK ("offset" BETWEEN -1440 AND 1440),
  day INTEGER NOT NULL CHECK (day BETWEEN 0 AND 2932896),
  kind TEXT NOT NULL CHECK (kind IN
    ('answer', 'undo', 'suspend', 'bury', 'flag', 'parameters', 'reattach')),
  clamped INTEGER NOT NULL CHECK (clamped IN (0, 1)),
  card TEXT,
  target TEXT,
  value TEXT,
  schema INTEGER NOT NULL,
  card_kind TEXT,
  content TEXT,
  origin TEXT CHECK (origin IN ('study', 'cram', 'exam', 'import')),
  sitting TEXT,
  repetition INTEGER CHECK (repetition >= 0),
  grade INTEGER CHECK (grade BETWEEN 1 AND 4),
  seconds REAL CHECK (seconds >= 0),
  parameters TEXT,
  choice_order TEXT,
  choice TEXT,
  raw TEXT,
  correct INTEGER CHECK (correct IN (0, 1)),
  confidence INTEGER CHECK (confidence BETWEEN 1 AND 3),
  due INTEGER CHECK (due BETWEEN 0 AND 2932896),
  retention REAL CHECK (retention > 0 AND retention < 1),
  parameter_set TEXT,
  engine TEXT,
  evidence TEXT,
  after_undo INTEGER CHECK (after_undo IN (0, 1)),
  CHECK (kind IN ('parameters', 'undo') OR card IS NOT NULL),
  CHECK (kind NOT IN ('undo', 'reattach') OR target IS NOT NULL),
  CHECK (kind <> 'answer' OR (
    card_kind IS NOT NULL AND content IS NOT NULL AND origin IS NOT NULL AND sitting IS NOT NULL
    AND repetition IS NOT NULL AND grade IS NOT NULL AND seconds IS NOT NULL
    AND parameters IS NOT NULL AND choice_order IS NOT NULL AND retention IS NOT NULL
    AND parameter_set IS NOT NULL AND engine IS NOT NULL AND after_undo IS NOT NULL))
) STRICT;
INSERT INTO "events" VALUES(1,'cd613e30-d8f1-4adf-91b7-584a2265b1f5',1,'2026-10-01T09:00:00.000000+00:00',0,20727,'answer',0,'dp/hold',NULL,NULL,1,'recall','3f2a','study','6f1c',0,3,4.25,'{}','[]',NULL,NULL,NULL,NULL,20729,0.9,'default','fsrs-rs-python 0.9',NULL,0);
INSERT INTO "events" VALUES(2,'1e2feb89-414c-443c-9027-c4d1c386bbc4',2,'2026-10-01T09:00:00.000000+00:00',0,20727,'answer',0,'dp/lie',NULL,NULL,1,'trap','3f2a','study','6f1c',0,1,4.25,'{}','["truth","once"]','once',NULL,0,1,20729,0.9,'default','fsrs-rs-python 0.9','all-reduce-bytes/1',0);
INSERT INTO "events" VALUES(3,'78e51061-7311-48a3-82ce-6f447ed4d57b',3,'2026-10-01T09:00:00.000000+00:00',0,20727,'answer',0,'dp/ring',NULL,NULL,1,'compute','3f2a','study','6f1c',0,3,4.25,'{"ranks":4,"payload":"4 MiB"}','[]',NULL,'6 MiB',1,NULL,20729,0.9,'default','fsrs-rs-python 0.9',NULL,0);
INSERT INTO "events" VALUES(4,'35bf992d-c9e9-4616-a12e-7696a6cecc1b',4,'2026-10-03T09:00:00.000000+00:00',0,20729,'answer',0,'dp/hold',NULL,NULL,1,'recall','3f2a','study','6f1c',1,1,4.25,'{}','[]',NULL,NULL,NULL,NULL,20731,0.9,'default','fsrs-rs-python 0.9',NULL,0);
INSERT INTO "events" VALUES(5,'e4b06ce6-0741-47a8-bce4-2c8218072e8c',5,'2026-10-03T09:00:00.000000+00:00',0,20729,'undo',0,'dp/hold','35bf992d-c9e9-4616-a12e-7696a6cecc1b',NULL,1,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "events" VALUES(6,'9b810e76-6ec9-4286-a3ca-828dd5f4b3b2',6,'2026-10-03T09:00:00.000000+00:00',0,20729,'answer',0,'dp/hold',NULL,NULL,1,'recall','3f2a','study','6f1c',2,2,4.25,'{}','[]',NULL,NULL,NULL,NULL,20731,0.9,'default','fsrs-rs-python 0.9',NULL,1);
INSERT INTO "events" VALUES(7,'b2221a58-008a-45a6-8464-7159c324c985',7,'2026-10-04T09:00:00.000000+00:00',0,20730,'flag',0,'dp/lie',NULL,NULL,1,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "events" VALUES(8,'cd447e35-b8b6-48fe-842e-3d437204e52d',8,'2026-10-04T09:00:00.000000+00:00',0,20730,'bury',0,'dp/lie',NULL,NULL,1,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "events" VALUES(9,'1a2b8f1f-f1fd-42a2-9755-d4c13a902931',9,'2026-10-04T09:00:00.000000+00:00',0,20730,'suspend',0,'dp/old',NULL,NULL,1,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "events" VALUES(10,'05b6e6e3-07d4-4edc-9143-1193e6c3f339',10,'2026-10-05T09:00:00.000000+00:00',0,20731,'reattach',0,'dp/old','dp/new',NULL,1,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "events" VALUES(11,'025b413f-8a9a-421e-a648-a7dd06839eb9',11,'2026-10-06T09:00:00.000000+00:00',0,20732,'parameters',0,NULL,NULL,'{"w":[0.212,1.2931,2.3065,8.2956,6.4133,0.8334,3.0194,0.001,1.8722,0.1666,0.796,1.4835,0.0614,0.2629,1.6483,0.6014,1.8729,0.5425,0.0912,0.0658,0.1542],"reschedule":false}',1,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
CREATE TABLE evidence (
  seq INTEGER PRIMARY KEY,
  key TEXT NOT NULL,
  experiment TEXT NOT NULL,
  at TEXT NOT NULL,
  json TEXT NOT NULL
) STRICT;
INSERT INTO "evidence" VALUES(1,'all-reduce-bytes/1','all-reduce-bytes','2026-10-01T00:00:00Z','{}');
CREATE UNIQUE INDEX "idx__sqlite_migrations_migration_set_name"
    ON "_sqlite_migrations" ("migration_set", "name");
CREATE INDEX events_counter ON events (counter);
CREATE INDEX events_card ON events (card, counter) WHERE card IS NOT NULL;
CREATE INDEX events_undone ON events (target) WHERE kind = 'undo';
CREATE INDEX events_reattached ON events (counter) WHERE kind = 'reattach';
CREATE INDEX events_fitted ON events (counter) WHERE kind = 'parameters';
CREATE TRIGGER events_not_updated BEFORE UPDATE ON events
  BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END;
CREATE TRIGGER events_not_deleted BEFORE DELETE ON events
  BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END;
CREATE TRIGGER events_not_replaced BEFORE INSERT ON events
  WHEN EXISTS (SELECT 1 FROM events WHERE id = NEW.id OR seq = NEW.seq)
  BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END;
CREATE INDEX evidence_key ON evidence (key, at);
COMMIT;
