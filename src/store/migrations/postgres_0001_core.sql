-- Tables carry the prefix tyer_ and live where the connection's search_path
-- says. A database is often shared, and our names are common words; a schema of
-- our own would need the right to make schemas. Whoever wants one sets the
-- search_path. Spaces share the tables.

CREATE TABLE tyer_subject (
  space  text COLLATE "C" NOT NULL,
  key    text COLLATE "C" NOT NULL,
  parent text COLLATE "C" NOT NULL,
  kind   text COLLATE "C" NOT NULL,
  status text COLLATE "C" NOT NULL,
  due_at bigint,
  rev    bigint NOT NULL,
  state  text COLLATE "C" NOT NULL,
  PRIMARY KEY (space, key)
);
CREATE INDEX tyer_subject_by_parent ON tyer_subject (space, parent, key) WHERE parent <> '';
CREATE INDEX tyer_subject_by_status ON tyer_subject (space, kind, status, key);
CREATE INDEX tyer_subject_by_due ON tyer_subject (space, due_at, key) WHERE due_at IS NOT NULL;

CREATE TABLE tyer_event (
  space text COLLATE "C" NOT NULL,
  seq   bigint NOT NULL,
  key   text COLLATE "C" NOT NULL,
  rev   bigint NOT NULL,
  type  text COLLATE "C" NOT NULL,
  at    bigint NOT NULL,
  actor text COLLATE "C" NOT NULL,
  cause bigint,
  body  text COLLATE "C" NOT NULL,
  PRIMARY KEY (space, seq)
);
CREATE INDEX tyer_event_by_key ON tyer_event (space, key, seq);

CREATE TABLE tyer_lease (
  space  text COLLATE "C" NOT NULL,
  key    text COLLATE "C" NOT NULL,
  record text COLLATE "C" NOT NULL,
  PRIMARY KEY (space, key)
);

CREATE TABLE tyer_cursor (
  space  text COLLATE "C" NOT NULL,
  reader text COLLATE "C" NOT NULL,
  seq    bigint NOT NULL,
  PRIMARY KEY (space, reader)
);
