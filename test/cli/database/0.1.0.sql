CREATE TABLE social_search_jobs (job TEXT PRIMARY KEY, state TEXT NOT NULL);
CREATE TABLE social_search_searches (
  number INTEGER PRIMARY KEY, search TEXT NOT NULL, network TEXT, command TEXT NOT NULL, params TEXT NOT NULL,
  records TEXT NOT NULL, first_look TEXT, last_look TEXT, job TEXT NOT NULL UNIQUE);
CREATE TABLE social_search_results (
  search INTEGER, number INTEGER, PRIMARY KEY (search, number)) WITHOUT ROWID;
CREATE TABLE social_search_missing (search INTEGER NOT NULL, "from" TEXT, "to" TEXT);
CREATE VIEW social_search_gaps AS
  SELECT searches.search, network, "from", "to" FROM social_search_missing AS missing
  JOIN social_search_searches AS searches ON searches.number = missing.search;
CREATE TABLE social_search_spent (
  search TEXT, network TEXT, records TEXT, day TEXT, credits NUMERIC NOT NULL, uncertain NUMERIC NOT NULL,
  PRIMARY KEY (search, network, records, day));
CREATE TABLE social_search_found (
  number INTEGER PRIMARY KEY AUTOINCREMENT, query TEXT, key TEXT, first_seen TEXT NOT NULL, UNIQUE (query, key));
CREATE TABLE social_search_deleted (records TEXT, key TEXT, PRIMARY KEY (records, key));
CREATE TABLE social_search_forgotten (hash BLOB PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE social_search_salt (salt BLOB NOT NULL);
CREATE TABLE "microblog_posts" (number INTEGER PRIMARY KEY, "id" TEXT NOT NULL UNIQUE, "body" TEXT, "author" TEXT, "name" TEXT, "timestamp" TEXT, "url" TEXT, "images" TEXT, "video" TEXT, "engagements.bookmarkCount" NUMERIC, "engagements.favoriteCount" NUMERIC, "engagements.quoteCount" NUMERIC, "engagements.replyCount" NUMERIC, "engagements.retweetCount" NUMERIC, "engagements.viewsCount" NUMERIC, "counted_at" TEXT, "record" TEXT NOT NULL);
CREATE TABLE "microblog_posts_counts" ("id" TEXT NOT NULL, "counted_at" TEXT, "engagements.bookmarkCount" NUMERIC, "engagements.favoriteCount" NUMERIC, "engagements.quoteCount" NUMERIC, "engagements.replyCount" NUMERIC, "engagements.retweetCount" NUMERIC, "engagements.viewsCount" NUMERIC, "body" TEXT);
CREATE INDEX "microblog_posts_counts_of" ON "microblog_posts_counts" ("id");
CREATE VIRTUAL TABLE "microblog_posts_fts" USING fts5("body", "author", "name",
  content="microblog_posts", content_rowid="number", tokenize="unicode61 remove_diacritics 2");
CREATE TRIGGER "microblog_posts_added" AFTER INSERT ON "microblog_posts" BEGIN INSERT INTO "microblog_posts_fts" (rowid, "body", "author", "name") VALUES (new.number, new."body", new."author", new."name"); END;
CREATE TRIGGER "microblog_posts_changed" AFTER UPDATE ON "microblog_posts"
  WHEN old."body" IS NOT new."body" OR old."author" IS NOT new."author" OR old."name" IS NOT new."name" BEGIN INSERT INTO "microblog_posts_fts" ("microblog_posts_fts", rowid, "body", "author", "name") VALUES ('delete', old.number, old."body", old."author", old."name"); INSERT INTO "microblog_posts_fts" (rowid, "body", "author", "name") VALUES (new.number, new."body", new."author", new."name"); END;
CREATE TRIGGER "microblog_posts_unindexed" AFTER DELETE ON "microblog_posts" BEGIN INSERT INTO "microblog_posts_fts" ("microblog_posts_fts", rowid, "body", "author", "name") VALUES ('delete', old.number, old."body", old."author", old."name"); END;
CREATE TRIGGER "microblog_posts_deleted" AFTER DELETE ON "microblog_posts" BEGIN DELETE FROM "microblog_posts_counts" WHERE "id" = old."id";
  DELETE FROM social_search_found WHERE key = old."id";
  DELETE FROM social_search_results WHERE number = old.number
  AND search IN (SELECT number FROM social_search_searches WHERE records = 'microblog_posts');
  INSERT OR IGNORE INTO social_search_deleted VALUES ('microblog_posts', old."id"); END;
CREATE VIEW "microblog_posts_found" AS
  SELECT found.number AS rowid, query, first_seen, records.* FROM social_search_found AS found
  JOIN "microblog_posts" AS records ON records."id" = found.key;
INSERT INTO "microblog_posts" VALUES (1, '1', 'first tea', 'user1', 'User 1', '2026-11-01T10:00:00.000Z', 'https://m.example/1', '', NULL, 1, 2, 3, 4, 5, 6, '2026-11-28 16:59:26.622', '{"id":"1","body":"first tea","author":"user1","name":"User 1","timestamp":"2026-11-01T10:00:00.000Z","url":"https://m.example/1","images":[],"video":null,"engagements":{"bookmarkCount":1,"favoriteCount":2,"quoteCount":3,"replyCount":4,"retweetCount":5,"viewsCount":6}}');
INSERT INTO "microblog_posts" VALUES (3, '3', 'C++ tea and coffee', 'user3', 'User 3', '2026-11-03T10:00:00.000Z', 'https://m.example/3', '', NULL, 1, 2, 3, 4, 5, 6, '2026-11-28 16:59:27.062', '{"id":"3","body":"C++ tea and coffee","author":"user3","name":"User 3","timestamp":"2026-11-03T10:00:00.000Z","url":"https://m.example/3","images":[],"video":null,"engagements":{"bookmarkCount":1,"favoriteCount":2,"quoteCount":3,"replyCount":4,"retweetCount":5,"viewsCount":6}}');
INSERT INTO "microblog_posts" VALUES (4, '4', 'मेरा दिल tea', 'user4', 'User 4', '2026-11-04T10:00:00.000Z', 'https://m.example/4', '', NULL, 1, 2, 3, 4, 5, 6, '2026-11-28 16:59:26.622', '{"id":"4","body":"मेरा दिल tea","author":"user4","name":"User 4","timestamp":"2026-11-04T10:00:00.000Z","url":"https://m.example/4","images":[],"video":null,"engagements":{"bookmarkCount":1,"favoriteCount":2,"quoteCount":3,"replyCount":4,"retweetCount":5,"viewsCount":6}}');
INSERT INTO "microblog_posts" VALUES (5, '6', '커피를 coffee', 'user6', 'User 6', '2026-11-06T10:00:00.000Z', 'https://m.example/6', '', NULL, 1, 2, 3, 4, 5, 6, '2026-11-28 16:59:27.062', '{"id":"6","body":"커피를 coffee","author":"user6","name":"User 6","timestamp":"2026-11-06T10:00:00.000Z","url":"https://m.example/6","images":[],"video":null,"engagements":{"bookmarkCount":1,"favoriteCount":2,"quoteCount":3,"replyCount":4,"retweetCount":5,"viewsCount":6}}');
INSERT INTO "microblog_posts" VALUES (6, '5', 'coffee', 'user5', 'User 5', '2026-11-05T10:00:00.000Z', 'https://m.example/5', '', NULL, 1, 2, 3, 4, 5, 6, '2026-11-28 16:59:27.062', '{"id":"5","body":"coffee","author":"user5","name":"User 5","timestamp":"2026-11-05T10:00:00.000Z","url":"https://m.example/5","images":[],"video":null,"engagements":{"bookmarkCount":1,"favoriteCount":2,"quoteCount":3,"replyCount":4,"retweetCount":5,"viewsCount":6}}');
INSERT INTO "microblog_posts" VALUES (7, '7', 'newest tea', 'user7', 'User 7', '2026-11-07T10:00:00.000Z', 'https://m.example/7', '', NULL, 1, 2, 3, 4, 5, 6, '2026-11-28 16:59:27.320', '{"id":"7","body":"newest tea","author":"user7","name":"User 7","timestamp":"2026-11-07T10:00:00.000Z","url":"https://m.example/7","images":[],"video":null,"engagements":{"bookmarkCount":1,"favoriteCount":2,"quoteCount":3,"replyCount":4,"retweetCount":5,"viewsCount":6}}');
INSERT INTO "microblog_posts_counts" VALUES ('1', '2026-11-28 16:59:26.622', 1, 2, 3, 4, 5, 6, NULL);
INSERT INTO "microblog_posts_counts" VALUES ('3', '2026-11-28 16:59:26.622', 1, 2, 3, 4, 5, 6, 'C++ tea');
INSERT INTO "microblog_posts_counts" VALUES ('4', '2026-11-28 16:59:26.622', 1, 2, 3, 4, 5, 6, NULL);
INSERT INTO "microblog_posts_counts" VALUES ('6', '2026-11-28 16:59:27.062', 1, 2, 3, 4, 5, 6, NULL);
INSERT INTO "microblog_posts_counts" VALUES ('5', '2026-11-28 16:59:27.062', 1, 2, 3, 4, 5, 6, NULL);
INSERT INTO "microblog_posts_counts" VALUES ('7', '2026-11-28 16:59:27.320', 1, 2, 3, 4, 5, 6, NULL);
INSERT INTO "social_search_jobs" VALUES ('{"params":{"query":"tea"},"watch":"microblog.search"}', '{"search":"{\"category\":\"Latest\",\"query\":\"tea\"}","spans":[{"ids":["7"],"next":{"query":"tea","category":"Latest"},"newest":"2026-11-07T10:00:00.000Z","oldest":"2026-11-07T10:00:00.000Z","silence":[1795885167262,1795885167262]},{"ids":["4","3","2","1"],"next":null,"newest":"2026-11-04T10:00:00.000Z","oldest":"2026-11-01T10:00:00.000Z"}],"pace":{"at":1795885167262,"fast":[1.0137395267543985,10800000.036341414],"slow":[1.1099241043688353,86400000.00454278],"watched":[1,886]}}');
INSERT INTO "social_search_jobs" VALUES ('export microblog_posts_found', '4');
INSERT INTO "social_search_jobs" VALUES ('{"operation":"microblog.search","params":{"query":"coffee"}}', '{"next":null,"records":3,"credits":2}');
INSERT INTO "social_search_searches" VALUES (1, 'tea', 'microblog', 'watch', '{"query":"tea"}', 'microblog_posts', '2026-11-28 16:59:26.622', '2026-11-28 16:59:27.320', '{"params":{"query":"tea"},"watch":"microblog.search"}');
INSERT INTO "social_search_searches" VALUES (2, 'coffee', 'microblog', 'search', '{"query":"coffee"}', 'microblog_posts', '2026-11-28 16:59:27.015', '2026-11-28 16:59:27.062', '{"operation":"microblog.search","params":{"query":"coffee"}}');
INSERT INTO "social_search_results" VALUES (1, 1);
INSERT INTO "social_search_results" VALUES (1, 3);
INSERT INTO "social_search_results" VALUES (1, 4);
INSERT INTO "social_search_results" VALUES (1, 7);
INSERT INTO "social_search_results" VALUES (2, 3);
INSERT INTO "social_search_results" VALUES (2, 5);
INSERT INTO "social_search_results" VALUES (2, 6);
INSERT INTO "social_search_missing" VALUES (1, '2026-11-04T10:00:00.000Z', '2026-11-07T10:00:00.000Z');
INSERT INTO "social_search_spent" VALUES ('tea', 'microblog', 'microblog_posts', '2026-11-28', 4, 0);
INSERT INTO "social_search_spent" VALUES ('coffee', 'microblog', 'microblog_posts', '2026-11-28', 2, 0);
INSERT INTO "social_search_found" VALUES (1, 'tea', '1', '2026-11-28 16:59:26');
INSERT INTO "social_search_found" VALUES (3, 'tea', '3', '2026-11-28 16:59:26');
INSERT INTO "social_search_found" VALUES (4, 'tea', '4', '2026-11-28 16:59:26');
INSERT INTO "social_search_found" VALUES (5, 'tea', '7', '2026-11-28 16:59:27');
INSERT INTO "social_search_forgotten" VALUES (x'88e8754ae055936dca218246e792304e');
INSERT INTO "social_search_forgotten" VALUES (x'fb4fbe6aa8dd3b53e409f25bb9b4adac');
INSERT INTO "social_search_salt" VALUES (x'ba90d9bd0c078d07213fce5dd896591a');
