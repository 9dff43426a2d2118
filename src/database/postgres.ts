/**
 * Exports the leaf of the Database branch for a PostgreSQL server. It needs the package `@effect/sql-pg`.
 *
 * @module
 */
export * as PostgresDatabase from "./postgres/PostgresDatabase.ts"
