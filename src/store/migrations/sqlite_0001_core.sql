CREATE TABLE subject (
  key    TEXT PRIMARY KEY,
  parent TEXT NOT NULL,
  kind   TEXT NOT NULL,
  status TEXT NOT NULL,
  due_at INTEGER,
  rev    INTEGER NOT NULL,
  state  TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX subject_by_parent ON subject (parent, key) WHERE parent <> '';
CREATE INDEX subject_by_status ON subject (kind, status, key);
CREATE INDEX subject_by_due ON subject (due_at, key) WHERE due_at IS NOT NULL;

CREATE TABLE event (
  seq   INTEGER PRIMARY KEY,
  key   TEXT NOT NULL,
  rev   INTEGER NOT NULL,
  type  TEXT NOT NULL,
  at    INTEGER NOT NULL,
  actor TEXT NOT NULL,
  cause INTEGER,
  body  TEXT NOT NULL
) STRICT;
-- Which events a key has, in chapters of the log, each written when it is full:
-- an index over the whole log would cost every change a page of its own. Readers
-- ask chapter by chapter and look through the events of the last one.
CREATE TABLE event_by_key (
  chapter INTEGER NOT NULL,
  key     TEXT NOT NULL,
  seqs    TEXT NOT NULL,  -- A JSON array, rising.
  PRIMARY KEY (chapter, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE lease (
  key    TEXT PRIMARY KEY,
  record TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE cursor (
  reader TEXT PRIMARY KEY,
  seq    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
