-- The greatest id of `search` whose grams are in the index. Texts after it are looked through
-- instead: it costs little more to index some of them together than one alone.
CREATE TABLE search_indexed (id INTEGER NOT NULL) STRICT;
INSERT INTO search_indexed SELECT coalesce(max(id), 0) FROM search;
