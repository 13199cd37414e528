#!/usr/bin/env bash
# sqlite3: a data base on disk, indices, joins, window functions, JSON.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

cat >"$work/script.sql" <<'SQL'
PRAGMA journal_mode = WAL;
CREATE TABLE monsters(id INTEGER PRIMARY KEY, name TEXT, gold INT, lair INT);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60000)
  INSERT INTO monsters SELECT i, 'monster-' || (i * 7919 % 60013),
    i * i % 1009, i % 97 FROM n;
CREATE INDEX by_name ON monsters(name);
CREATE TABLE lairs AS SELECT DISTINCT lair, hex(lair * 31) AS sign FROM monsters;
SELECT count(*), sum(gold) FROM monsters JOIN lairs USING (lair);
SELECT lair, group_concat(name, ',') FROM monsters WHERE id < 3000 GROUP BY lair;
SELECT id, sum(gold) OVER (PARTITION BY lair ORDER BY id) FROM monsters
  WHERE id % 500 = 0 ORDER BY id;
SELECT json_group_array(json_object('name', name, 'gold', gold)) FROM monsters
  WHERE gold > 1000;
DELETE FROM monsters WHERE id % 3 = 0;
UPDATE monsters SET name = replace(name, 'monster', 'beast') WHERE id % 2 = 0;
VACUUM;
PRAGMA integrity_check;
SELECT count(*), min(name), max(name) FROM monsters;
SQL

sqlite3 "$work/plain.db" <"$work/script.sql" >"$work/plain.txt"
under sqlite sqlite3 "$work/under.db" <"$work/script.sql" >"$work/under.txt"
same "answers of sqlite3" "$work/plain.txt" "$work/under.txt"
for db in plain under; do sqlite3 "$work/$db.db" .dump >"$work/$db.dump"; done
same "contents of the data base" "$work/plain.dump" "$work/under.dump"
check_books "$work/sqlite.heaptally" 10000
