"""What PostgreSQL knows of its tables when it plans a query: renewed as soon as much was stored."""

from sqlalchemy import Connection, Engine, func, select, text

# Which tables PostgreSQL would look at again by itself, up to a minute later. Until then it may take what was just
# filled for nearly empty, and join that way: grades of a study that was just imported once took over ten minutes.
_CHANGED = text(
    "SELECT relname FROM pg_stat_user_tables"
    " WHERE schemaname = current_schema() AND n_mod_since_analyze > 50 + n_live_tup / 10 ORDER BY relname"
)


def renew_statistics(engine: Engine) -> list[str]:
    """Have PostgreSQL look again at the tables that changed much, and name them; SQLite plans without."""
    if engine.dialect.name == "sqlite":
        return []
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(select(func.pg_stat_force_next_flush()))  # else what was just stored counts a second later
        changed = list(connection.scalars(_CHANGED))
        if changed:
            names = ", ".join(map(engine.dialect.identifier_preparer.quote, changed))
            connection.exec_driver_sql(f"ANALYZE (SKIP_LOCKED) {names}")  # whoever holds one of them reads it already
    return changed


def renew_all(connection: Connection) -> None:
    """The same for every table, within the transaction that filled them."""
    if connection.dialect.name != "sqlite":
        connection.exec_driver_sql("ANALYZE")
