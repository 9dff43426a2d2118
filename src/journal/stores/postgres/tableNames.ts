/** Derives the quoted table names and the notification channel of a PostgreSQL journal from its schema. */
import { utf8Length } from "../../../base/utf8.ts"

export interface TableNames {
  /** The schema, unquoted. */
  readonly schemaName: string
  readonly schema: string
  readonly entry: string
  readonly head: string
  readonly migration: string
  readonly channel: string
}

const quote = (name: string): string => `"${name.replaceAll(`"`, `""`)}"`

/** Identifiers have at most 63 bytes, and the channel's begins with `sluice:`. */
const maxSchemaBytes = 55

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
