/** Derives the quoted table names and the notification channel of a PostgreSQL journal from its schema. */
import { utf8Length } from "../../../base/utf8.ts"

/** The names of a journal's tables, quoted for statements, and of its channel. */
export interface TableNames {
  /** The schema, unquoted. */
  readonly schemaName: string
  readonly schema: string
  readonly entry: string
  readonly head: string
  readonly migration: string
  /** The channel that is notified of appends. */
  readonly channel: string
}

const quote = (name: string): string => `"${name.replaceAll(`"`, `""`)}"`

/** Identifiers have at most 63 bytes, and the channel's begins with `sluice:`. */
const maxSchemaBytes = 55

/** The names of the journal in a schema; `undefined` if no schema can have that name. */
export const tableNames = (schema: string): TableNames | undefined => {
  const length = utf8Length(schema)
  // PostgreSQL reserves names that begin with pg_.
  if (length < 1 || length > maxSchemaBytes || schema.startsWith("pg_") || schema.includes("\0")) return undefined
  const table = (name: string): string => `${quote(schema)}.${quote(name)}`
  return {
    schemaName: schema,
    schema: quote(schema),
    entry: table("journal_entry"),
    head: table("journal_head"),
    migration: table("journal_migration"),
    channel: `sluice:${schema}`,
  }
}
