/**
 * How the parts of a journal are called in its database.
 *
 * @module
 */

/** Names, quoted where they are part of a statement. */
export interface Names {
  /** The schema as it is called, unquoted. */
  readonly schemaName: string
  readonly schema: string
  readonly entry: string
  readonly head: string
  readonly migration: string
  /** What is notified when entries were appended. */
  readonly channel: string
}

/** Quotes an identifier. */
export const quote = (name: string): string => `"${name.replaceAll(`"`, `""`)}"`

/** Channels and identifiers have at most 63 bytes, and the channel is the schema with something before it. */
const maxBytes = 55

/** The names of the journal in a schema; `undefined` when no schema can be called so. */
export const namesOf = (schema: string): Names | undefined => {
  const { length } = new TextEncoder().encode(schema)
  // PostgreSQL keeps names that begin with pg_ for itself.
  if (length < 1 || length > maxBytes || schema.startsWith("pg_") || schema.includes("\0")) return undefined
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
