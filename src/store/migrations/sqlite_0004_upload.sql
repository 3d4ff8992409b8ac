-- Files that were sent, in pieces, where a backup carries them. A store in use keeps them beside
-- it.
CREATE TABLE upload (
  id TEXT NOT NULL,
  piece INTEGER NOT NULL,
  bytes BLOB NOT NULL,
  PRIMARY KEY (id, piece)
) STRICT;
