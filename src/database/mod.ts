/**
 * Exports the Database branch: queries, changes and transactions on a SQLite file, on PostgreSQL
 * (`@sluice/shell/database/postgres`), or scripted.
 *
 * @module
 */
export { Database, type DatabaseRow, type DatabaseService } from "./Database.ts"
export { DatabaseBranch } from "./DatabaseBranch.ts"
export * from "./DatabaseEntry.ts"
export { DatabaseValue } from "./DatabaseValue.ts"
export type { DatabaseLeafOptions } from "./leafOptions.ts"
export * as MockDatabase from "./MockDatabase.ts"
export * as SqliteDatabase from "./sqlite/SqliteDatabase.ts"
