-- Files that were sent, in pieces: for all hubs of the database. They are compressed already, or
-- too seldom read to be worth it.
CREATE TABLE tyer_upload (
  space text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  piece int NOT NULL,
  bytes bytea NOT NULL,
  PRIMARY KEY (space, id, piece)
);
ALTER TABLE tyer_upload ALTER COLUMN bytes SET STORAGE EXTERNAL;
