"""A PostgreSQL database for one test after the other: to make one costs ten times what it costs to empty one."""

import psycopg

from tests.services.postgres import PostgresServer

# By this name the connections that tests share are known; a renewed database ends all others.
SHARED = "codejury-tests"

# Rows that were deleted stay in the files and slow down whoever reads them.
TESTS_PER_COPY = 100

# As superuser: neither triggers nor foreign keys have a say.
EMPTY = """
DO $$
DECLARE name name;
BEGIN
    SET LOCAL session_replication_role = replica;
    SET LOCAL lock_timeout = '2s';
    FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'alembic_version' LOOP
        EXECUTE format('DELETE FROM %I', name);
    END LOOP;
    PERFORM setval(format('%I.%I', schemaname, sequencename), start_value, false) FROM pg_sequences
        WHERE last_value IS NOT NULL;
END $$
"""

END_OTHERS = f"""
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name <> '{SHARED}'
"""

# A row of the catalogue that was changed, by whatever statement, names another transaction.
SCHEMA = """
SELECT md5(string_agg(kind || ':' || xmin, ',' ORDER BY kind)) FROM (
    SELECT 'table ' || oid, xmin FROM pg_class WHERE relnamespace = 'public'::regnamespace
    UNION ALL SELECT 'trigger ' || oid, xmin FROM pg_trigger
    UNION ALL SELECT 'constraint ' || oid, xmin FROM pg_constraint WHERE connamespace = 'public'::regnamespace
    UNION ALL SELECT 'function ' || oid, xmin FROM pg_proc WHERE pronamespace = 'public'::regnamespace
    UNION ALL SELECT 'column ' || attrelid || ' ' || attnum, column_.xmin FROM pg_attribute AS column_
        JOIN pg_class ON pg_class.oid = attrelid WHERE relnamespace = 'public'::regnamespace
    UNION ALL SELECT 'version ' || version_num, xmin FROM alembic_version
) AS parts (kind, xmin)
"""


class ReusedDatabase:
    """A copy of a template without rows, at one address, which ``renew`` makes as good as new."""

    def __init__(self, server: PostgresServer, template: str) -> None:
        self._server = server
        self._template = template
        self.url = server.create_database(template=template)
        self.copies = 0
        self._look_at_the_copy()

    def _look_at_the_copy(self) -> None:
        self._connection = psycopg.connect(self.url.replace("+psycopg", ""), autocommit=True)
        self._schema = self._current_schema()
        self._tests = 0
        self.copies += 1

    def _current_schema(self) -> object:
        return self._connection.execute(SCHEMA).fetchone()

    def renew(self) -> None:
        """Be as the template: by deleting rows, or as a new copy if the last test changed more than rows."""
        self._tests += 1
        if self._tests > TESTS_PER_COPY or not self._is_emptied():
            self.close()
            self._server.drop_database(self.url)
            self._server.create_database(self.url.rsplit("/", 1)[-1], template=self._template)
            self._look_at_the_copy()

    def _is_emptied(self) -> bool:
        try:
            self._connection.execute(END_OTHERS)
            if self._current_schema() != self._schema:
                return False
            self._connection.execute(EMPTY)
        except psycopg.Error:  # somebody holds on to a row, or took a table away
            return False
        return True

    def close(self) -> None:
        """Let go of the database."""
        self._connection.close()
