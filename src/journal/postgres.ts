/**
 * Journals in PostgreSQL: for several machines that share one.
 *
 * @module
 */
export type { PostgresOptions } from "./stores/postgres/options.ts"
export { openPostgres } from "./stores/postgres/PostgresStore.ts"
