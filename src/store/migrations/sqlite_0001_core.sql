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
-- The rowid, which is seq, stands in every index entry.
CREATE INDEX event_by_key ON event (key);

CREATE TABLE lease (
  key    TEXT PRIMARY KEY,
  record TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE cursor (
  reader TEXT PRIMARY KEY,
  seq    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
