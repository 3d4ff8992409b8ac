-- Texts that can be searched (H7), with their grams, which the program makes (src/core/search.h).
-- One of them says the space and the kind, since an index of this sort has no other columns.
CREATE TABLE tyer_search (
  space text COLLATE "C" NOT NULL,
  key   text COLLATE "C" NOT NULL,
  text  text COLLATE "C" NOT NULL,
  grams tsvector NOT NULL,
  PRIMARY KEY (space, key)
);
CREATE INDEX tyer_search_by_gram ON tyer_search USING gin (grams);
