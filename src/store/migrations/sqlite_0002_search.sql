-- Texts that can be searched (H7). Ids grow with the keys of a kind: the newest have the greatest.
CREATE TABLE search (
  id   INTEGER PRIMARY KEY,
  key  TEXT NOT NULL UNIQUE,
  text TEXT NOT NULL
) STRICT;
-- The grams of each text, made by the program (src/core/search.h) and separated by spaces; nothing
-- else is a separator. Only which text has which gram is kept.
CREATE VIRTUAL TABLE search_index USING fts5(
  grams, content = '', columnsize = 0, detail = 'none',
  tokenize = "ascii tokenchars '!""#$%&''()*+,-./:;<=>?@[\]^_`{|}~'"
);
